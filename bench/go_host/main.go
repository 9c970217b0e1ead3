// The peer of plugin_host_bench: a host of plugins as Go programs are ones, on go-plugin's client with mutual TLS. Takes
// the orders of bench/measured_host.h, does what awf's host does up to the first answer, and times it. Messages are those
// of awf_plugin.go of scaffolds/go.
//
//	go_host PLUGIN
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

const (
	callers  = 8
	mebibyte = 1 << 20
	patience = time.Minute
)

type order struct {
	ID      int    `json:"id"`
	Measure string `json:"measure"`
	Calls   int    `json:"calls"`
}

type answer struct {
	ID    int       `json:"id"`
	Ms    []float64 `json:"ms,omitempty"`
	Error string    `json:"error,omitempty"`
}

// connected gives the bare connection: there is nothing to wrap it in.
type connected struct{ plugin.NetRPCUnsupportedPlugin }

func (connected) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this is the host's side")
}
func (connected) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return connection, nil
}

// question is one call and the answer that it must have.
type question struct {
	request *executeRequest
	output  string
}

func ask(operation, input string, value any, output string) question {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // text and numbers only
	}
	return question{&executeRequest{Operation: operation, Inputs: map[string][]byte{input: text}}, output}
}

var (
	echo  = ask("echo", "text", strings.Repeat("x", 200), strings.Repeat("x", 200))
	large = ask("big", "bytes", mebibyte, strings.Repeat("b", mebibyte))
)

type host struct {
	program    string
	sum        [sha256.Size]byte // of the program's file
	client     *plugin.Client
	connection *grpc.ClientConn
}

func msSince(begin time.Time) float64 { return float64(time.Since(begin)) / float64(time.Millisecond) }

func (h *host) stop() {
	if h.client != nil {
		h.client.Kill()
	}
	h.client, h.connection = nil, nil
}

func (h *host) invoke(method string, request, response any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := h.connection.Invoke(ctx, "/plugin.v1."+method, request, response, grpc.MaxCallRecvMsgSize(largestMessage))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (h *host) connect() error {
	protocol, err := h.client.Client()
	if err != nil {
		return err
	}
	if err := protocol.Ping(); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	raw, err := protocol.Dispense("awf")
	if err != nil {
		return fmt.Errorf("dispense: %w", err)
	}
	h.connection = raw.(*grpc.ClientConn)
	return nil
}

// start leaves the plugin running. The end of the one before is not measured.
func (h *host) start(checked bool) (float64, error) {
	h.stop()
	begin := time.Now()
	config := &plugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          map[string]plugin.Plugin{"awf": connected{}},
		Cmd:              exec.Command(h.program),
		AutoMTLS:         true,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		StartTimeout:     patience,
		SyncStdout:       io.Discard,
		SyncStderr:       io.Discard,
		Logger:           hclog.NewNullLogger(),
	}
	if checked {
		config.SecureConfig = &plugin.SecureConfig{Checksum: h.sum[:], Hash: sha256.New()}
	}
	h.client = plugin.NewClient(config)
	if err := h.connect(); err != nil {
		return 0, err
	}
	operations := &listResponse{}
	for _, step := range []struct {
		method            string
		request, response any
	}{
		{"PluginService/GetInfo", &none{}, &infoResponse{}},
		{"PluginService/Init", &initRequest{}, &none{}},
		{"OperationService/ListOperations", &none{}, operations},
	} {
		if err := h.invoke(step.method, step.request, step.response); err != nil {
			return 0, err
		}
	}
	if len(operations.Operations) == 0 {
		return 0, errors.New("the plugin has no operations")
	}
	if _, err := h.call(echo); err != nil {
		return 0, err
	}
	return msSince(begin), nil
}

func (h *host) call(question question) (float64, error) {
	response := &executeResponse{}
	begin := time.Now()
	err := h.invoke("OperationService/Execute", question.request, response)
	elapsed := msSince(begin)
	switch {
	case err != nil:
		return 0, err
	case !response.Success:
		return 0, fmt.Errorf("%s: %s", question.request.Operation, response.Error)
	case response.Output != question.output:
		return 0, fmt.Errorf("%s: not what was asked for", question.request.Operation)
	}
	return elapsed, nil
}

func (h *host) calls(question question, count int) ([]float64, error) {
	times := make([]float64, 0, count)
	for range count {
		elapsed, err := h.call(question)
		if err != nil {
			return nil, err
		}
		times = append(times, elapsed)
	}
	return times, nil
}

func (h *host) callsAtOnce(count int) ([]float64, error) {
	var (
		waiting sync.WaitGroup
		times   [callers][]float64
		errs    [callers]error
		all     []float64
	)
	for i := range callers {
		waiting.Add(1)
		go func() {
			defer waiting.Done()
			times[i], errs[i] = h.calls(echo, count)
		}()
	}
	waiting.Wait()
	for _, mine := range times {
		all = append(all, mine...)
	}
	return all, errors.Join(errs[:]...)
}

func (h *host) measure(order order) ([]float64, error) {
	if order.Measure == "start" || order.Measure == "checked_start" {
		elapsed, err := h.start(order.Measure == "checked_start")
		return []float64{elapsed}, err
	}
	if h.connection == nil {
		return nil, errors.New("no plugin was started")
	}
	switch order.Measure {
	case "echo":
		return h.calls(echo, order.Calls)
	case "large":
		return h.calls(large, order.Calls)
	case "at_once":
		return h.callsAtOnce(order.Calls)
	}
	return nil, fmt.Errorf("unknown measure %s", order.Measure)
}

func serve(program string) error {
	file, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	host := host{program: program, sum: sha256.Sum256(file)}
	defer host.stop()
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var order order
		if err := orders.Decode(&order); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		got := answer{ID: order.ID}
		if times, err := host.measure(order); err != nil {
			got.Error = err.Error()
		} else {
			got.Ms = times
		}
		if err := answers.Encode(got); err != nil {
			return err
		}
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go_host PLUGIN")
		os.Exit(2)
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "go_host:", err)
		os.Exit(1)
	}
}
