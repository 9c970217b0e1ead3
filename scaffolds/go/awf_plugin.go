// What awf and a plugin say to each other, on top of go-plugin: messages, services, the process. It knows no operation;
// those are in main.go.
//
// The messages are plain structs: their tags are what a generator would have made of plugin.v1's .proto file.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// handshake: what a plugin's environment must hold, so that it does not run when started by hand.
var handshake = plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "AWF_PLUGIN", MagicCookieValue: "awf-plugin-v1"}

const largestMessage = 64 << 20 // awf's own limit

// Plugin is what Serve offers. Init and Shutdown may be nil; Init's error refuses the configuration.
type Plugin struct {
	Name, Version, Description string
	Operations                 []Operation
	Init                       func(config Values) error
	Shutdown                   func()
}

// Operation is a tool of agents and a step of workflows. Run is called from many goroutines at once; its context ends with
// the call's deadline, or when the call is cancelled. An error is told to the caller, with the result, if any.
type Operation struct {
	Name, Description string
	Inputs            []Input
	Outputs           []Output
	Run               func(ctx context.Context, inputs Values) (Result, error)
}

// Result is text, fields, or both; the fields are anything that encoding/json can write.
type Result struct {
	Output string
	Data   map[string]any
}

// Values are JSON texts by name: inputs, or the configuration. An optional one that was not given is absent.
type Values map[string][]byte

// Into decodes all of them into a struct with json tags.
func (v Values) Into(target any) error {
	object := make(map[string]json.RawMessage, len(v))
	for name, text := range v {
		object[name] = text
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, target)
}

// message makes a struct with protobuf tags one that gRPC sends.
type message struct{}

func (*message) Reset()         {}
func (*message) String() string { return "plugin.v1" }
func (*message) ProtoMessage()  {}

type none struct{ message }

type infoResponse struct {
	message
	Name         string   `protobuf:"bytes,1,opt,name=name,proto3" json:"name"`
	Version      string   `protobuf:"bytes,2,opt,name=version,proto3" json:"version"`
	Description  string   `protobuf:"bytes,3,opt,name=description,proto3" json:"description"`
	Capabilities []string `protobuf:"bytes,4,rep,name=capabilities,proto3" json:"capabilities"`
}

type initRequest struct {
	message
	Config map[string][]byte `protobuf:"bytes,1,rep,name=config,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
}

// Input declares what an operation takes. Type: string, integer, number, boolean, array or object. Validation: url or email.
type Input struct {
	message
	Name        string `protobuf:"bytes,1,opt,name=name,proto3" json:"name"`
	Type        string `protobuf:"bytes,2,opt,name=type,proto3" json:"type"`
	Required    bool   `protobuf:"varint,3,opt,name=required,proto3" json:"required"`
	Default     string `protobuf:"bytes,4,opt,name=default,proto3" json:"default,omitempty"`
	Description string `protobuf:"bytes,5,opt,name=description,proto3" json:"description,omitempty"`
	Validation  string `protobuf:"bytes,6,opt,name=validation,proto3" json:"validation,omitempty"`
}

// Output declares a field of the result.
type Output struct {
	message
	Name        string `protobuf:"bytes,1,opt,name=name,proto3" json:"name"`
	Type        string `protobuf:"bytes,2,opt,name=type,proto3" json:"type"`
	Description string `protobuf:"bytes,3,opt,name=description,proto3" json:"description,omitempty"`
}

type operationSchema struct {
	message
	Name        string    `protobuf:"bytes,1,opt,name=name,proto3" json:"name"`
	Description string    `protobuf:"bytes,2,opt,name=description,proto3" json:"description"`
	Inputs      []*Input  `protobuf:"bytes,3,rep,name=inputs,proto3" json:"inputs"`
	Outputs     []*Output `protobuf:"bytes,4,rep,name=outputs,proto3" json:"outputs"`
}

type listResponse struct {
	message
	Operations []*operationSchema `protobuf:"bytes,1,rep,name=operations,proto3"`
}

type getRequest struct {
	message
	Name string `protobuf:"bytes,1,opt,name=name,proto3"`
}

type getResponse struct {
	message
	Operation *operationSchema `protobuf:"bytes,1,opt,name=operation,proto3"`
}

type executeRequest struct {
	message
	Operation string            `protobuf:"bytes,1,opt,name=operation,proto3"`
	Inputs    map[string][]byte `protobuf:"bytes,2,rep,name=inputs,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
}

type executeResponse struct {
	message
	Success bool              `protobuf:"varint,1,opt,name=success,proto3"`
	Output  string            `protobuf:"bytes,2,opt,name=output,proto3"`
	Data    map[string][]byte `protobuf:"bytes,3,rep,name=data,proto3" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
	Error   string            `protobuf:"bytes,4,opt,name=error,proto3"`
}

func (o Operation) schema() *operationSchema {
	schema := &operationSchema{Name: o.Name, Description: o.Description}
	for i := range o.Inputs {
		schema.Inputs = append(schema.Inputs, &o.Inputs[i])
	}
	for i := range o.Outputs {
		schema.Outputs = append(schema.Outputs, &o.Outputs[i])
	}
	return schema
}

func (p *Plugin) find(name string) *Operation {
	for i := range p.Operations {
		if p.Operations[i].Name == name {
			return &p.Operations[i]
		}
	}
	return nil
}

func (p *Plugin) execute(ctx context.Context, request *executeRequest) (response *executeResponse) {
	response = &executeResponse{}
	defer func() {
		if cause := recover(); cause != nil {
			response = &executeResponse{Error: fmt.Sprintf("plugin panic: %v", cause)}
		}
	}()
	operation := p.find(request.Operation)
	if operation == nil {
		response.Error = "unknown operation " + request.Operation
		return response
	}
	result, err := operation.Run(ctx, request.Inputs)
	response.Output = result.Output
	response.Data = make(map[string][]byte, len(result.Data))
	for name, value := range result.Data {
		text, failed := json.Marshal(value)
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
		response.Data[name] = text
	}
	response.Success = err == nil
	if err != nil {
		response.Error = err.Error()
	}
	return response
}

func unary[Request any](name string, handle func(context.Context, *Request) (any, error)) grpc.MethodDesc {
	handler := func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		request := new(Request)
		if err := decode(request); err != nil {
			return nil, err
		}
		return handle(ctx, request)
	}
	return grpc.MethodDesc{MethodName: name, Handler: handler}
}

func (p *Plugin) services() []*grpc.ServiceDesc {
	return []*grpc.ServiceDesc{
		{ServiceName: "plugin.v1.PluginService", Methods: []grpc.MethodDesc{
			unary("GetInfo", func(context.Context, *none) (any, error) {
				return &infoResponse{Name: p.Name, Version: p.Version, Description: p.Description, Capabilities: []string{"operations"}}, nil
			}),
			unary("Init", func(_ context.Context, request *initRequest) (any, error) {
				if p.Init == nil {
					return &none{}, nil
				}
				return &none{}, p.Init(request.Config)
			}),
			unary("Shutdown", func(context.Context, *none) (any, error) {
				if p.Shutdown != nil {
					p.Shutdown()
				}
				return &none{}, nil
			}),
		}},
		{ServiceName: "plugin.v1.OperationService", Methods: []grpc.MethodDesc{
			unary("ListOperations", func(context.Context, *none) (any, error) {
				response := &listResponse{}
				for _, operation := range p.Operations {
					response.Operations = append(response.Operations, operation.schema())
				}
				return response, nil
			}),
			unary("GetOperation", func(_ context.Context, request *getRequest) (any, error) {
				operation := p.find(request.Name)
				if operation == nil {
					return nil, fmt.Errorf("unknown operation %s", request.Name)
				}
				return &getResponse{Operation: operation.schema()}, nil
			}),
			unary("Execute", func(ctx context.Context, request *executeRequest) (any, error) {
				return p.execute(ctx, request), nil
			}),
		}},
	}
}

// served is the Plugin as go-plugin wants it.
type served struct {
	plugin.NetRPCUnsupportedPlugin
	plugin *Plugin
}

func (s served) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	for _, service := range s.plugin.services() {
		server.RegisterService(service, nil)
	}
	return nil
}

func (served) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("this is the plugin's side")
}

// Serve answers awf until it ends the plugin. What is printed reaches awf's log.
func (p *Plugin) Serve() {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         map[string]plugin.Plugin{"awf": served{plugin: p}},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, grpc.MaxRecvMsgSize(largestMessage))...)
		},
	})
}
