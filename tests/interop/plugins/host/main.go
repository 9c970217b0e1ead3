// A host for the interop tests as Go programs are ones: go-plugin's client, gRPC alone. Messages and services are
// those of awf_plugin.go of scaffolds/go. Reads {"program", "tls", "config", "calls": [{"operation", "inputs"}]} from stdin and
// prints what the plugin answers as one JSON object; `ended` tells that Kill needed no force.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

type order struct {
	Program string                     `json:"program"`
	TLS     bool                       `json:"tls"`
	Config  map[string]json.RawMessage `json:"config"`
	Calls   []struct {
		Operation string                     `json:"operation"`
		Inputs    map[string]json.RawMessage `json:"inputs"`
	} `json:"calls"`
}

type answer struct {
	Success bool                       `json:"success"`
	Output  string                     `json:"output"`
	Data    map[string]json.RawMessage `json:"data"`
	Error   string                     `json:"error"`
}

type report struct {
	Protocol   string             `json:"protocol"`
	Info       *infoResponse      `json:"info"`
	Operations []*operationSchema `json:"operations"`
	Answers    []answer           `json:"answers"`
	Stdout     string             `json:"stdout"`
	Ended      bool               `json:"ended"`
	Status     int                `json:"status"`
}

type connected struct{ plugin.NetRPCUnsupportedPlugin }

func (connected) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return fmt.Errorf("this is the host's side")
}
func (connected) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return connection, nil
}

// printed is what the plugin prints; go-plugin writes from goroutines of its own.
type printed struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (p *printed) Write(data []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.text.Write(data)
}

func (p *printed) String() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.text.String()
}

func texts(values map[string]json.RawMessage) map[string][]byte {
	found := make(map[string][]byte, len(values))
	for name, value := range values {
		found[name] = value
	}
	return found
}

func ask(client *plugin.Client, order order) (*report, error) {
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	if err := protocol.Ping(); err != nil {
		return nil, fmt.Errorf("ping: %w", err)
	}
	raw, err := protocol.Dispense("awf")
	if err != nil {
		return nil, fmt.Errorf("dispense: %w", err)
	}
	connection := raw.(*grpc.ClientConn)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	call := func(method string, request, response any) error {
		if err := connection.Invoke(ctx, "/plugin.v1."+method, request, response, grpc.MaxCallRecvMsgSize(largestMessage)); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	}
	found := &report{Protocol: string(client.Protocol()), Info: &infoResponse{}}
	list := &listResponse{}
	for _, step := range []struct {
		method            string
		request, response any
	}{
		{"PluginService/GetInfo", &none{}, found.Info},
		{"PluginService/Init", &initRequest{Config: texts(order.Config)}, &none{}},
		{"OperationService/ListOperations", &none{}, list},
	} {
		if err := call(step.method, step.request, step.response); err != nil {
			return nil, err
		}
	}
	found.Operations = list.Operations
	for _, wanted := range order.Calls {
		got := &executeResponse{}
		if err := call("OperationService/Execute", &executeRequest{Operation: wanted.Operation, Inputs: texts(wanted.Inputs)}, got); err != nil {
			return nil, err
		}
		data := make(map[string]json.RawMessage, len(got.Data))
		for name, value := range got.Data {
			data[name] = value
		}
		found.Answers = append(found.Answers, answer{got.Success, got.Output, data, got.Error})
	}
	return found, nil
}

func run() error {
	var order order
	if err := json.NewDecoder(os.Stdin).Decode(&order); err != nil {
		return err
	}
	var stdout printed
	command := exec.Command(order.Program)
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          map[string]plugin.Plugin{"awf": connected{}},
		Cmd:              command,
		AutoMTLS:         order.TLS,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		StartTimeout:     time.Minute,
		SyncStdout:       &stdout,
		SyncStderr:       os.Stderr,
		Logger:           hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr}),
	})
	defer client.Kill()
	found, err := ask(client, order)
	if err != nil {
		return err
	}
	client.Kill()
	found.Stdout = stdout.String()
	found.Ended = client.Exited()
	found.Status = command.ProcessState.ExitCode() // -1 when it was killed
	return json.NewEncoder(os.Stdout).Encode(found)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
}
