// A peer for the benchmark: an MCP server on the official Go SDK with one tool that reads a file.
package main

import (
	"context"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type readArguments struct {
	Path string `json:"path"`
}

func read(_ context.Context, _ *mcp.CallToolRequest, arguments readArguments) (*mcp.CallToolResult, any, error) {
	text, err := os.ReadFile(arguments.Path)
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-peer", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "Read", Description: "Reads a file."}, read)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
