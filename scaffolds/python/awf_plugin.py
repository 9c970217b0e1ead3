"""What awf and a plugin say to each other: HashiCorp's go-plugin protocol over gRPC with mutual TLS on a unix socket.

It knows no operation; those are in plugin.py. Handlers run in threads, several at once.
"""

import base64
import datetime
import json
import os
import queue
import shutil
import signal
import sys
import tempfile
import threading
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any, Callable

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

THREADS = 64  # two of them are for the streams that stay open
LARGEST_MESSAGE = 64 << 20  # awf's own limit
DRAIN_SECONDS = 0.2


@dataclass
class Input:
    """type: string, integer, number, boolean, array or object. validation: url or email."""

    name: str
    type: str = "string"
    required: bool = False
    default: str = ""
    description: str = ""
    validation: str = ""


@dataclass
class Output:
    name: str
    type: str = "string"
    description: str = ""


@dataclass
class Call:
    inputs: dict[str, Any]  # an optional one that was not given is absent
    cancelled: threading.Event  # set when nobody waits for the result any more


@dataclass
class Result:
    """Text, fields, or both. With `error` the call has failed."""

    output: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    error: str = ""


class Failed(Exception):
    """Raised by an operation: its text is what the caller reads."""


class Plugin:
    def __init__(self, name: str, version: str, description: str):
        self.name, self.version, self.description = name, version, description
        self.config: dict[str, Any] = {}
        self._operations: dict[str, tuple[dict[str, Any], Callable[[Call], Any]]] = {}
        self._init: Callable[[dict[str, Any]], None] = lambda config: None
        self._shutdown: Callable[[], None] = lambda: None

    def operation(self, description, inputs=(), outputs=(), name=""):
        """Decorator. The function gets a Call and returns a Result, a text or a dict of fields."""

        def add(run):
            schema = {
                "name": name or run.__name__,
                "description": description,
                "inputs": [vars(i) for i in inputs],
                "outputs": [vars(o) for o in outputs],
            }
            self._operations[schema["name"]] = (schema, run)
            return run

        return add

    def on_init(self, run):
        self._init = run
        return run

    def on_shutdown(self, run):
        self._shutdown = run
        return run

    def call(self, name: str, call: Call) -> Result:
        """One operation, as awf calls it; also for tests."""
        if name not in self._operations:
            return Result(error=f"unknown operation {name}")
        try:
            result = self._operations[name][1](call)
        except Failed as failure:
            return Result(error=str(failure) or "failed")
        except Exception as failure:  # noqa: BLE001: one call fails, the plugin goes on
            return Result(error=f"plugin panic: {failure!r}")
        if isinstance(result, str):
            return Result(output=result)
        return Result(data=result) if isinstance(result, dict) else result or Result()

    def init(self, config: dict[str, Any]) -> None:
        self.config = config
        self._init(config)

    # The methods of plugin.v1, by service.

    def _get_info(self, request, context):
        return {
            "name": self.name,
            "version": self.version,
            "description": self.description,
            "capabilities": ["operations"],
        }

    def _init_method(self, request, context):
        try:
            self.init(_values(request.config))
        except Exception as refused:  # noqa: BLE001: its text is for the user
            context.abort(grpc.StatusCode.UNKNOWN, str(refused))
        return {}

    def _shutdown_method(self, request, context):
        self._shutdown()
        sys.stdout.flush()
        return {}

    def _list(self, request, context):
        return {"operations": [schema for schema, _ in self._operations.values()]}

    def _get(self, request, context):
        if request.name not in self._operations:
            context.abort(grpc.StatusCode.NOT_FOUND, f"unknown operation {request.name}")
        return {"operation": self._operations[request.name][0]}

    def _execute(self, request, context):
        cancelled = threading.Event()
        context.add_callback(cancelled.set)
        result = self.call(request.operation, Call(_values(request.inputs), cancelled))
        try:
            data = {name: json.dumps(value).encode() for name, value in result.data.items()}
        except (TypeError, ValueError) as failure:
            return {"error": f"plugin panic: {failure}"}
        return {"success": not result.error, "output": result.output, "data": data, "error": result.error}

    def serve(self) -> None:
        """Answers awf until it ends the plugin; does not return."""
        if os.environ.get("AWF_PLUGIN") != "awf-plugin-v1":
            sys.exit(f"{self.name} is a plugin of awf: awf starts it")
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ended = threading.Event()
        prints: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        server = grpc.server(
            futures.ThreadPoolExecutor(THREADS),
            options=[
                ("grpc.max_receive_message_length", LARGEST_MESSAGE),
                ("grpc.max_send_message_length", LARGEST_MESSAGE),
            ],
        )
        server.add_generic_rpc_handlers(self._services(ended, prints))
        folder = tempfile.mkdtemp(prefix="awf", dir=os.environ.get("PLUGIN_UNIX_SOCKET_DIR"))
        address = os.path.join(folder, "plugin")
        certificate = _listen(server, address)
        server.start()
        multiplex = "|false" if "PLUGIN_MULTIPLEX_GRPC" in os.environ else ""
        print(f"1|1|unix|{address}|grpc|{certificate}{multiplex}", flush=True)
        _relay_stdout(prints)
        ended.wait()
        sys.stdout.flush()
        server.stop(DRAIN_SECONDS).wait(DRAIN_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)  # threads of handlers that still run do not hold it up

    def _services(self, ended, prints):
        def stdio(request, context):
            while context.is_active():
                try:
                    yield {"channel": 1, "data": prints.get(timeout=1)}
                except queue.Empty:
                    pass

        def controller(request, context):
            ended.set()
            return {}

        def broker(requests, context):
            for _ in requests:  # nothing is dialled
                pass
            return iter(())

        return (
            _service(
                "plugin.v1.PluginService",
                GetInfo=(self._get_info, "Empty", "InfoResponse"),
                Init=(self._init_method, "InitRequest", "Empty"),
                Shutdown=(self._shutdown_method, "Empty", "Empty"),
            ),
            _service(
                "plugin.v1.OperationService",
                ListOperations=(self._list, "Empty", "ListResponse"),
                GetOperation=(self._get, "GetRequest", "GetResponse"),
                Execute=(self._execute, "ExecuteRequest", "ExecuteResponse"),
            ),
            _service("grpc.health.v1.Health", Check=(lambda *_: {"status": 1}, "Empty", "HealthResponse")),
            _service("plugin.GRPCController", Shutdown=(controller, "Empty", "Empty")),
            _service(
                "plugin.GRPCStdio", StreamStdio=(stdio, "Empty", "StdioData", grpc.unary_stream_rpc_method_handler)
            ),
            _service(
                "plugin.GRPCBroker", StartStream=(broker, "Empty", "Empty", grpc.stream_stream_rpc_method_handler)
            ),
        )


# Messages: field names, types and numbers. They are made at run time, so that no generator is needed. "Empty" also reads
# what nobody looks at.
_MESSAGES: dict[str, list[tuple[str, str, int]]] = {
    "Empty": [],
    "InfoResponse": [("name", "string", 1), ("version", "string", 2), ("description", "string", 3)]
    + [("capabilities", "strings", 4)],
    "InitRequest": [("config", "map", 1)],
    "Input": [("name", "string", 1), ("type", "string", 2), ("required", "bool", 3), ("default", "string", 4)]
    + [("description", "string", 5), ("validation", "string", 6)],
    "Output": [("name", "string", 1), ("type", "string", 2), ("description", "string", 3)],
    "Operation": [("name", "string", 1), ("description", "string", 2), ("inputs", "*Input", 3)]
    + [("outputs", "*Output", 4)],
    "ListResponse": [("operations", "*Operation", 1)],
    "GetRequest": [("name", "string", 1)],
    "GetResponse": [("operation", "Operation", 1)],
    "ExecuteRequest": [("operation", "string", 1), ("inputs", "map", 2)],
    "ExecuteResponse": [("success", "bool", 1), ("output", "string", 2), ("data", "map", 3), ("error", "string", 4)],
    "HealthResponse": [("status", "int32", 1)],
    "StdioData": [("channel", "int32", 1), ("data", "bytes", 2)],
}


def _make_messages():
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="awf_plugin.proto", package="awf", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field_name, kind, number in fields:
            repeated = kind == "map" or kind == "strings" or kind.startswith("*")
            made = message.field.add(name=field_name, number=number)
            made.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
            if kind == "map":
                entry = message.nested_type.add(name=field_name.capitalize() + "Entry")
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
                entry.field.add(name="value", number=2, type=kinds.TYPE_BYTES, label=kinds.LABEL_OPTIONAL)
                made.type, made.type_name = kinds.TYPE_MESSAGE, f".awf.{name}.{entry.name}"
            elif kind.lstrip("*") in _MESSAGES:
                made.type, made.type_name = kinds.TYPE_MESSAGE, ".awf." + kind.lstrip("*")
            else:
                made.type = getattr(kinds, "TYPE_" + kind.removesuffix("s" if repeated else "").upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName("awf." + name)) for name in _MESSAGES
    }


_CLASSES = _make_messages()


def _service(name, **methods):
    def handler(run, request, response, make=grpc.unary_unary_rpc_method_handler):
        return make(
            run,
            request_deserializer=_CLASSES[request].FromString,
            response_serializer=lambda fields: _CLASSES[response](**fields).SerializeToString(),
        )

    return grpc.method_handlers_generic_handler(name, {method: handler(*how) for method, how in methods.items()})


def _values(texts) -> dict[str, Any]:
    return {name: json.loads(text) for name, text in texts.items()}


def _listen(server, address: str) -> str:
    """Opens the socket. The certificate that belongs into the handshake; empty without encryption."""
    theirs = os.environ.get("PLUGIN_CLIENT_CERT")
    if not theirs:
        server.add_insecure_port("unix:" + address)
        return ""
    key, certificate = _certificate()
    pem = (
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        certificate.public_bytes(serialization.Encoding.PEM),
    )
    server.add_secure_port("unix:" + address, grpc.ssl_server_credentials([pem], theirs.encode(), True))
    return base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode().rstrip("=")


def _certificate():
    """For this process alone: signed by itself, and its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    usage = dict.fromkeys(
        ("content_commitment", "data_encipherment", "crl_sign", "encipher_only", "decipher_only"), False
    ) | dict.fromkeys(("digital_signature", "key_encipherment", "key_agreement", "key_cert_sign"), True)
    usages = [x509.ExtendedKeyUsageOID.CLIENT_AUTH, x509.ExtendedKeyUsageOID.SERVER_AUTH]
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(seconds=30))
        .not_valid_after(now + datetime.timedelta(days=3650))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**usage), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .sign(key, hashes.SHA256())
    )
    return key, certificate


def _relay_stdout(prints) -> None:
    """The handshake was the last line on the real stdout: what is printed from now on goes to awf by gRPC."""
    reading, writing = os.pipe()
    os.dup2(writing, 1)
    os.close(writing)
    sys.stdout.reconfigure(line_buffering=True)

    def relay():
        while data := os.read(reading, 65536):
            prints.put(data)

    threading.Thread(target=relay, daemon=True).start()
