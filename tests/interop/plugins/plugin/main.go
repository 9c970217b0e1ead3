// A Go plugin for the interop tests, on awf_plugin.go of scaffolds/go: operations that behave well and badly. GO_PLUGIN names
// the version of go-plugin that it is built with.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

var goPlugin string // set by the linker

type input struct {
	Text  string  `json:"text"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	Bytes int     `json:"bytes"`
	Mark  string  `json:"mark"`
}

// One operation, whose inputs are all strings or all integers.
func operation(name, kind string, run func(context.Context, input) (Result, error), inputs ...string) Operation {
	o := Operation{Name: name, Description: "Operation " + name + "."}
	for _, input := range inputs {
		o.Inputs = append(o.Inputs, Input{Name: input, Type: kind, Required: true})
	}
	o.Run = func(ctx context.Context, values Values) (Result, error) {
		var in input
		if err := values.Into(&in); err != nil {
			return Result{}, err
		}
		return run(ctx, in)
	}
	return o
}

func main() {
	p := Plugin{Name: "gopher", Version: "0.1.0", Description: "go-plugin " + goPlugin}
	p.Shutdown = func() { fmt.Println("gopher: shut down") }
	p.Operations = []Operation{
		operation("echo", "string", func(_ context.Context, in input) (Result, error) {
			return Result{Output: in.Text}, nil
		}, "text"),
		operation("add", "integer", func(_ context.Context, in input) (Result, error) {
			return Result{Data: map[string]any{"sum": in.A + in.B}}, nil
		}, "a", "b"),
		operation("big", "integer", func(_ context.Context, in input) (Result, error) {
			return Result{Output: strings.Repeat("b", in.Bytes)}, nil
		}, "bytes"),
		operation("print", "integer", func(_ context.Context, in input) (Result, error) {
			fmt.Fprintln(os.Stdout, "out:", strings.Repeat("o", in.Bytes))
			fmt.Fprintln(os.Stderr, "err:", strings.Repeat("e", in.Bytes))
			return Result{Output: "printed"}, nil
		}, "bytes"),
		operation("fail", "string", func(_ context.Context, in input) (Result, error) {
			return Result{Data: map[string]any{"seen": in.Text}}, errors.New(in.Text)
		}, "text"),
		operation("panic", "string", func(_ context.Context, in input) (Result, error) { panic(in.Text) }, "text"),
		operation("crash", "string", func(_ context.Context, in input) (Result, error) {
			go panic(in.Text) // nothing recovers this one
			time.Sleep(time.Hour)
			return Result{}, nil
		}, "text"),
		operation("exit", "integer", func(context.Context, input) (Result, error) {
			os.Exit(3)
			return Result{}, nil
		}),
		operation("hang", "string", func(ctx context.Context, in input) (Result, error) {
			if err := os.WriteFile(in.Mark, []byte("waiting"), 0o600); err != nil {
				return Result{}, err
			}
			<-ctx.Done()
			return Result{}, os.WriteFile(in.Mark, []byte("ended"), 0o600)
		}, "mark"),
	}
	p.Serve()
}
