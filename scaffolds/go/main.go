// The plugin @NAME@: each operation is a tool of agents and a step of workflows.
package main

import (
	"context"
	"errors"
)

// newPlugin has the configuration of plugin.yaml from Init, which comes before any call.
func newPlugin() *Plugin {
	config := struct {
		Greeting string `json:"greeting"`
	}{Greeting: "Hello"}

	greet := func(_ context.Context, inputs Values) (Result, error) {
		var in struct {
			Who string `json:"who"`
		}
		if err := inputs.Into(&in); err != nil {
			return Result{}, err
		}
		text := config.Greeting + ", " + in.Who + "!"
		return Result{Output: text, Data: map[string]any{"text": text}}, nil
	}

	return &Plugin{
		Name: "@NAME@", Version: "0.1.0", Description: "what it does, in one line",
		Init: func(values Values) error {
			if err := values.Into(&config); err != nil {
				return err
			}
			if config.Greeting == "" {
				return errors.New("greeting must not be empty")
			}
			return nil
		},
		Operations: []Operation{{
			Name:        "greet",
			Description: "Greets somebody.",
			Inputs:      []Input{{Name: "who", Type: "string", Required: true, Description: "Whom to greet."}},
			Outputs:     []Output{{Name: "text", Type: "string", Description: "The greeting."}},
			Run:         greet,
		}},
	}
}

func main() { newPlugin().Serve() }
