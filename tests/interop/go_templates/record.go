// Renders the cases of cases.jsonl with Go's text/template and writes what came out, one JSON line a case.
//
//	go run record.go < cases.jsonl > recorded.jsonl
//
// The data of a case is .inputs, as in awf. JSON's integers become int, its other numbers float64. Of an error only the
// kind is kept: the texts change between releases of Go.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type testCase struct {
	Name     string          `json:"name"`
	Template string          `json:"template"`
	Data     json.RawMessage `json:"data"`
}

type result struct {
	Name   string  `json:"name"`
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"` // parse or run
}

func typed(value any) any {
	switch value := value.(type) {
	case json.Number:
		if !strings.ContainsAny(value.String(), ".eE") {
			if number, err := value.Int64(); err == nil {
				return int(number)
			}
		}
		number, _ := value.Float64()
		return number
	case []any:
		list := make([]any, len(value)) // without spare capacity, which slice could reach
		for i := range value {
			list[i] = typed(value[i])
		}
		return list
	case map[string]any:
		for key := range value {
			value[key] = typed(value[key])
		}
	}
	return value
}

func render(c testCase) (result, error) {
	var inputs any = map[string]any{}
	if len(c.Data) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(c.Data))
		decoder.UseNumber()
		if err := decoder.Decode(&inputs); err != nil {
			return result{}, fmt.Errorf("case %s: %w", c.Name, err)
		}
	}
	parsed, err := template.New(c.Name).Parse(c.Template)
	if err != nil {
		return result{Name: c.Name, Error: "parse"}, nil
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, map[string]any{"inputs": typed(inputs)}); err != nil {
		return result{Name: c.Name, Error: "run"}, nil
	}
	output := text.String()
	return result{Name: c.Name, Output: &output}, nil
}

func run() error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		var c testCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		recorded, err := render(c)
		if err != nil {
			return err
		}
		if err := encoder.Encode(recorded); err != nil {
			return err
		}
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
