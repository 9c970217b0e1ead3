"""The plugin @NAME@: each operation is a tool of agents and a step of workflows."""

from awf_plugin import Input, Output, Plugin, Result

plugin = Plugin("@NAME@", "0.1.0", "what it does, in one line")


@plugin.on_init
def init(config):
    """Before any call. What it raises refuses the configuration."""
    if not config.get("greeting", "Hello"):
        raise ValueError("greeting must not be empty")


@plugin.operation(
    "Greets somebody.",
    inputs=[Input("who", "string", required=True, description="Whom to greet.")],
    outputs=[Output("text", "string", "The greeting.")],
)
def greet(call):
    text = f"{plugin.config.get('greeting', 'Hello')}, {call.inputs['who']}!"
    return Result(output=text, data={"text": text})


if __name__ == "__main__":
    plugin.serve()
