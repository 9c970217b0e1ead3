package main

import (
	"context"
	"testing"
)

func TestGreet(t *testing.T) {
	plugin := newPlugin()
	if err := plugin.Init(Values{"greeting": []byte(`"Good day"`)}); err != nil {
		t.Fatal(err)
	}
	request := &executeRequest{Operation: "greet", Inputs: Values{"who": []byte(`"world"`)}}
	response := plugin.execute(context.Background(), request)
	if !response.Success || response.Output != "Good day, world!" {
		t.Errorf("got %+v", response)
	}
	if err := plugin.Init(Values{"greeting": []byte(`""`)}); err == nil {
		t.Error("an empty greeting is accepted")
	}
}
