// The plugin "go-outline": what a Go file declares, for agents that have to find their way in one.
package main

import (
	"bytes"
	"context"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
)

type declaration struct {
	Line int    `json:"line"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	Text string `json:"text"`
	Doc  string `json:"doc,omitempty"`
}

type outline struct {
	files *token.FileSet
	found []declaration
}

// add takes what a declaration begins with, without bodies.
func (o *outline) add(kind, name string, node ast.Node, text string, comment *ast.CommentGroup) {
	var buffer bytes.Buffer
	if err := printer.Fprint(&buffer, o.files, node); err == nil {
		text += buffer.String()
	}
	o.found = append(o.found, declaration{o.files.Position(node.Pos()).Line, kind, name, text, new(doc.Package).Synopsis(comment.Text())})
}

func (o *outline) function(function *ast.FuncDecl) {
	kind, name := "func", function.Name.Name
	if function.Recv != nil && len(function.Recv.List) == 1 {
		kind, name = "method", receiver(function.Recv.List[0].Type)+"."+name
	}
	o.add(kind, name, &ast.FuncDecl{Recv: function.Recv, Name: function.Name, Type: function.Type}, "", function.Doc)
}

func receiver(kind ast.Expr) string {
	switch kind := kind.(type) {
	case *ast.StarExpr:
		return receiver(kind.X)
	case *ast.IndexExpr:
		return receiver(kind.X)
	case *ast.IndexListExpr:
		return receiver(kind.X)
	case *ast.Ident:
		return kind.Name
	}
	return "?"
}

func (o *outline) general(group *ast.GenDecl) {
	for _, spec := range group.Specs {
		comment := group.Doc
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc != nil {
				comment = spec.Doc
			}
			o.add("type", spec.Name.Name, &ast.TypeSpec{Name: spec.Name, TypeParams: spec.TypeParams, Assign: spec.Assign, Type: spec.Type}, "type ", comment)
		case *ast.ValueSpec:
			if spec.Doc != nil {
				comment = spec.Doc
			}
			for _, name := range spec.Names {
				o.add(group.Tok.String(), name.Name, name, group.Tok.String()+" ", comment)
			}
		}
	}
}

func run(_ context.Context, inputs Values) (Result, error) {
	var in struct {
		Path     string `json:"path"`
		Exported bool   `json:"exported"`
	}
	if err := inputs.Into(&in); err != nil {
		return Result{}, err
	}
	o := &outline{files: token.NewFileSet(), found: []declaration{}}
	file, err := parser.ParseFile(o.files, in.Path, nil, parser.ParseComments)
	if err != nil {
		return Result{}, err
	}
	if in.Exported {
		ast.FileExports(file)
	}
	for _, part := range file.Decls {
		switch part := part.(type) {
		case *ast.FuncDecl:
			o.function(part)
		case *ast.GenDecl:
			o.general(part)
		}
	}
	return Result{Data: map[string]any{"package": file.Name.Name, "declarations": o.found}}, nil
}

func main() {
	p := Plugin{Name: "go-outline", Version: "0.1.0", Description: "what Go files declare"}
	p.Operations = []Operation{{
		Name:        "outline",
		Description: "Lists what a Go file declares: functions, methods, types, constants and variables, with lines.",
		Inputs: []Input{
			{Name: "path", Type: "string", Required: true, Description: "The file."},
			{Name: "exported", Type: "boolean", Description: "Only what other packages see."},
		},
		Outputs: []Output{
			{Name: "package", Type: "string", Description: "The package's name."},
			{Name: "declarations", Type: "array", Description: "Objects with line, kind, name, text and doc."},
		},
		Run: run,
	}}
	p.Serve()
}
