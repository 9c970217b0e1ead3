// What awf and a plugin say to each other: HashiCorp's go-plugin protocol over gRPC with mutual TLS on a unix socket. It
// knows no operation; those are in plugin.mjs.
import { webcrypto } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import grpc from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import 'reflect-metadata'; // before x509
import * as x509 from '@peculiar/x509';

const LARGEST_MESSAGE = 64 * 1024 * 1024; // awf's own limit
const DRAIN_MS = 200;

// Field numbers, and methods as [request, response]. `Empty` also reads what nobody looks at.
const fields = (list) => ({ fields: Object.fromEntries(list.map(([name, type, id, rule]) => [name,
  rule === 'map' ? { keyType: 'string', type, id } : { type, id, ...(rule && { rule }) }])) });
const service = (methods) => ({ methods: Object.fromEntries(Object.entries(methods).map(([name, [request, response, how]]) =>
  [name, { requestType: `.${request}`, responseType: `.${response}`, ...how }])) });
const stream = { responseStream: true };
const MESSAGES = {
  Empty: fields([]),
  InfoResponse: fields([['name', 'string', 1], ['version', 'string', 2], ['description', 'string', 3],
    ['capabilities', 'string', 4, 'repeated']]),
  InitRequest: fields([['config', 'bytes', 1, 'map']]),
  Input: fields([['name', 'string', 1], ['type', 'string', 2], ['required', 'bool', 3], ['default', 'string', 4],
    ['description', 'string', 5], ['validation', 'string', 6]]),
  Output: fields([['name', 'string', 1], ['type', 'string', 2], ['description', 'string', 3]]),
  Operation: fields([['name', 'string', 1], ['description', 'string', 2], ['inputs', 'Input', 3, 'repeated'],
    ['outputs', 'Output', 4, 'repeated']]),
  ListResponse: fields([['operations', 'Operation', 1, 'repeated']]),
  GetRequest: fields([['name', 'string', 1]]),
  GetResponse: fields([['operation', 'Operation', 1]]),
  ExecuteRequest: fields([['operation', 'string', 1], ['inputs', 'bytes', 2, 'map']]),
  ExecuteResponse: fields([['success', 'bool', 1], ['output', 'string', 2], ['data', 'bytes', 3, 'map'], ['error', 'string', 4]]),
  HealthResponse: fields([['status', 'int32', 1]]),
  StdioData: fields([['channel', 'int32', 1], ['data', 'bytes', 2]]),
};
const named = (name, methods) => name.split('.').reduceRight((inner, word) => ({ nested: { [word]: inner } }), service(methods)).nested;
const SERVICES = {
  'plugin.v1.PluginService': {
    GetInfo: ['Empty', 'InfoResponse'], Init: ['InitRequest', 'Empty'], Shutdown: ['Empty', 'Empty'] },
  'plugin.v1.OperationService': {
    ListOperations: ['Empty', 'ListResponse'], GetOperation: ['GetRequest', 'GetResponse'],
    Execute: ['ExecuteRequest', 'ExecuteResponse'] },
  'grpc.health.v1.Health': { Check: ['Empty', 'HealthResponse'] },
  'plugin.GRPCController': { Shutdown: ['Empty', 'Empty'] },
  'plugin.GRPCStdio': { StreamStdio: ['Empty', 'StdioData', stream] },
  'plugin.GRPCBroker': { StartStream: ['Empty', 'Empty', { requestStream: true, ...stream }] },
};

const definitionOf = (name) =>
  fromJSON({ nested: { ...MESSAGES, ...named(name, SERVICES[name]) } }, { keepCase: true, defaults: true, arrays: true, objects: true })[name];

const valuesOf = (texts) => Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, JSON.parse(text)]));

export class Plugin {
  config = {};
  #operations = new Map();
  #init = () => {};
  #shutdown = () => {};

  constructor(name, version, description) { Object.assign(this, { name, version, description }); }

  // `schema`: {name, description, inputs: [{name, type, required, default, description, validation}], outputs: [{name, type,
  // description}]}; type is string, integer, number, boolean, array or object. `run(inputs, {signal})` returns, or resolves
  // with, {output, data, error}, all optional; what it throws becomes an error. The signal fires when nobody waits any more.
  operation(schema, run) { this.#operations.set(schema.name, { schema, run }); }
  onInit(run) { this.#init = run; }
  onShutdown(run) { this.#shutdown = run; }

  async init(config) {
    this.config = config;
    await this.#init(config);
  }

  // One operation, as awf calls it; also for tests.
  async call(name, inputs, signal = new AbortController().signal) {
    const operation = this.#operations.get(name);
    if (!operation) return { error: `unknown operation ${name}` };
    try {
      return await operation.run(inputs, { signal }) ?? {};
    } catch (failure) {
      return { error: `plugin panic: ${failure?.message ?? failure}` };
    }
  }

  async #execute(call) {
    const ended = new AbortController();
    call.on('cancelled', () => ended.abort());
    const { operation, inputs } = call.request;
    const { output = '', data = {}, error = '' } = await this.call(operation, valuesOf(inputs), ended.signal);
    const texts = Object.entries(data).map(([name, value]) => [name, Buffer.from(JSON.stringify(value) ?? 'null')]);
    return { success: error === '', output, data: Object.fromEntries(texts), error };
  }

  #schema({ request: { name } }) {
    const operation = this.#operations.get(name);
    if (!operation) throw Object.assign(new Error(`unknown operation ${name}`), { code: grpc.status.NOT_FOUND });
    return { operation: operation.schema };
  }

  #methods(prints, end) {
    return {
      'plugin.v1.PluginService': {
        GetInfo: () => ({ name: this.name, version: this.version, description: this.description, capabilities: ['operations'] }),
        Init: async ({ request }) => { await this.init(valuesOf(request.config)); },
        Shutdown: async () => { await this.#shutdown(); },
      },
      'plugin.v1.OperationService': {
        ListOperations: () => ({ operations: [...this.#operations.values()].map(({ schema }) => schema) }),
        GetOperation: (call) => this.#schema(call),
        Execute: (call) => this.#execute(call),
      },
      'grpc.health.v1.Health': { Check: () => ({ status: 1 }) },
      'plugin.GRPCController': { Shutdown: () => { end(); } },
      'plugin.GRPCStdio': {
        StreamStdio: (call) => { prints.on('data', (data) => call.write({ channel: 1, data })); },
      },
      'plugin.GRPCBroker': { // nothing is dialled
        StartStream: (call) => call.on('end', () => call.end()).resume(),
      },
    };
  }

  // Answers awf until it ends the plugin.
  async serve() {
    if (process.env.AWF_PLUGIN !== 'awf-plugin-v1') {
      console.error(`${this.name} is a plugin of awf: awf starts it`);
      process.exit(1);
    }
    process.on('SIGINT', () => {});
    const folder = fs.mkdtempSync(path.join(process.env.PLUGIN_UNIX_SOCKET_DIR ?? os.tmpdir(), 'awf'));
    const address = path.join(folder, 'plugin');
    const prints = new PassThrough();
    const end = () => setTimeout(() => {
      fs.rmSync(folder, { recursive: true, force: true });
      process.exit(0);
    }, DRAIN_MS);
    const server = new grpc.Server({
      'grpc.max_receive_message_length': LARGEST_MESSAGE, 'grpc.max_send_message_length': LARGEST_MESSAGE });
    for (const [name, methods] of Object.entries(this.#methods(prints, end))) {
      const definition = definitionOf(name);
      server.addService(definition, Object.fromEntries(Object.entries(methods)
        .map(([method, run]) => [method, definition[method].responseStream ? run : unary(run)])));
    }
    const { credentials, der } = await security(process.env.PLUGIN_CLIENT_CERT);
    await new Promise((resolve, reject) => {
      server.bindAsync(`unix:${address}`, credentials, (failure) => (failure ? reject(failure) : resolve()));
    });
    const multiplex = process.env.PLUGIN_MULTIPLEX_GRPC === undefined ? '' : '|false';
    fs.writeSync(1, `1|1|unix|${address}|grpc|${der}${multiplex}\n`);
    // From now on what is printed goes to awf by gRPC.
    process.stdout.write = prints.write.bind(prints);
  }
}

const unary = (run) => async (call, answer) => {
  try {
    answer(null, await run(call) ?? {});
  } catch (failure) {
    answer({ code: failure.code ?? grpc.status.UNKNOWN, details: failure.message });
  }
};

// With the peer's certificate, mutual TLS: ours is for this process alone, signed by itself and its own authority.
async function security(theirs) {
  if (!theirs) return { credentials: grpc.ServerCredentials.createInsecure(), der: '' };
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const { digitalSignature, keyEncipherment, keyAgreement, keyCertSign } = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    notBefore: new Date(Date.now() - 30_000),
    notAfter: new Date(Date.now() + 10 * 365 * 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature | keyEncipherment | keyAgreement | keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]),
    ],
  }, webcrypto);
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const pair = {
    private_key: Buffer.from(`-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`),
    cert_chain: Buffer.from(certificate.toString('pem')),
  };
  return {
    credentials: grpc.ServerCredentials.createSsl(Buffer.from(theirs), [pair], true),
    der: Buffer.from(certificate.rawData).toString('base64').replace(/=+$/, ''),
  };
}
