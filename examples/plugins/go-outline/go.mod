module awf-plugin-go-outline

go 1.25

require (
	github.com/hashicorp/go-plugin v1.8.0
	google.golang.org/grpc v1.85.0
)
