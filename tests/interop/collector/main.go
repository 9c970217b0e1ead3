// A collector for the interop tests: the OTLP receiver of the OpenTelemetry Collector, with gRPC and HTTP, plain or TLS,
// and in the place of a pipeline a consumer that prints what arrives: one JSON object a line,
// {"protocol", "headers", "trace": OTLP/JSON}. `{"ready": true}` comes first. Ends when stdin does.
//
//	collector CONFIG    the receiver's configuration as JSON, with the collector's own keys
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

type printer struct {
	mutex sync.Mutex
	out   *json.Encoder
}

func (*printer) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (p *printer) ConsumeTraces(ctx context.Context, traces ptrace.Traces) error {
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	if err != nil {
		return err
	}
	metadata := client.FromContext(ctx).Metadata
	headers := map[string][]string{}
	for key := range metadata.Keys() {
		headers[key] = metadata.Get(key)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.out.Encode(map[string]any{"headers": headers, "trace": json.RawMessage(text)})
}

func serve(config string) error {
	var raw map[string]any
	if err := json.Unmarshal([]byte(config), &raw); err != nil {
		return err
	}
	factory := otlpreceiver.NewFactory()
	settings := factory.CreateDefaultConfig()
	if err := confmap.NewFromStringMap(raw).Unmarshal(settings); err != nil {
		return err
	}
	ctx := context.Background()
	to := &printer{out: json.NewEncoder(os.Stdout)}
	set := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
	}
	traces, err := factory.CreateTraces(ctx, set, settings, to)
	if err != nil {
		return err
	}
	if err := traces.Start(ctx, componenttest.NewNopHost()); err != nil {
		return err
	}
	fmt.Println(`{"ready":true}`)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return traces.Shutdown(ctx)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: collector CONFIG")
		os.Exit(2)
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "collector:", err)
		os.Exit(1)
	}
}
