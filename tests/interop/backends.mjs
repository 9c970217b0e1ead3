// The telemetry back ends that `backends` has built: Jaeger and the collector, each on ports of its own, plain or TLS.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sleep } from './support.mjs';

const FOLDER = fileURLToPath(new URL('../../build/interop/backends', import.meta.url));

// The reason, as text, when there is none of them.
export function unusable() {
  const reason = path.join(FOLDER, 'skipped');
  if (fs.existsSync(reason)) return fs.readFileSync(reason, 'utf8').trim();
  return fs.existsSync(path.join(FOLDER, 'stamp')) ? false : 'the back ends are not built (tests/interop/backends)';
}

// Ports that nobody has at this moment, all different.
export async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, () => new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => resolve(server));
  })));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => { server.close(resolve); })));
  return ports;
}

export async function until(what, condition) {
  for (let tries = 0; tries < 600; ++tries) {
    const value = await condition();
    if (value) return value;
    await sleep(50);
  }
  assert.fail(`waited in vain: ${what}`);
}

function openssl(...args) {
  const done = spawnSync('openssl', args, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
}

// A certificate of 127.0.0.1 that is its own authority.
export function certificate(world) {
  const [cert, key] = [world.path('cert.pem'), world.path('key.pem')];
  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=awf interop', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-keyout', key, '-out', cert);
  return { cert, key };
}

function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.on('exit', resolve);
    child.kill('SIGKILL');
  });
}

// `received` grows: {headers, spans} of each request.
export class Collector {
  static async start(t, { tls, ports } = {}) {
    const [grpc, http] = ports ?? await freePorts(2);
    const endpoint = (port) => ({
      endpoint: `127.0.0.1:${port}`, include_metadata: true,
      ...(tls && { tls: { cert_file: tls.cert, key_file: tls.key } }),
    });
    const collector = new Collector();
    Object.assign(collector, { grpc, http, received: [], text: '' });
    const config = JSON.stringify({ protocols: { grpc: endpoint(grpc), http: endpoint(http) } });
    const child = spawn(path.join(FOLDER, 'collector'), [config], { stdio: ['pipe', 'pipe', 'inherit'] });
    collector.child = child;
    t.after(() => stop(child));
    await new Promise((resolve, reject) => {
      child.on('exit', (code) => reject(new Error(`the collector ended with ${code}`)));
      child.stdout.on('data', (data) => {
        collector.text += data;
        const lines = collector.text.split('\n');
        collector.text = lines.pop();
        for (const line of lines.map((text) => JSON.parse(text))) {
          if (line.ready) resolve();
          else collector.received.push({ headers: line.headers, resourceSpans: line.trace.resourceSpans });
        }
      });
    });
    return collector;
  }
  get spans() { return this.received.flatMap((r) => r.resourceSpans).flatMap((r) => r.scopeSpans).flatMap((s) => s.spans); }
  kill() { return stop(this.child); }
}

export class Jaeger {
  static async start(t, world, { tls } = {}) {
    const [grpc, http, query, queryGrpc] = await freePorts(4);
    const endpoint = (port) => ({
      endpoint: `127.0.0.1:${port}`, ...(tls && { tls: { cert_file: tls.cert, key_file: tls.key } }),
    });
    const config = {
      service: {
        extensions: ['jaeger_storage', 'jaeger_query'],
        pipelines: { traces: { receivers: ['otlp'], exporters: ['jaeger_storage_exporter'] } },
        telemetry: { logs: { level: 'error' }, metrics: { level: 'none' } },
      },
      extensions: {
        jaeger_storage: { backends: { here: { memory: { max_traces: 100 } } } },
        jaeger_query: {
          storage: { traces: 'here' },
          http: { endpoint: `127.0.0.1:${query}` }, grpc: { endpoint: `127.0.0.1:${queryGrpc}` },
        },
      },
      receivers: { otlp: { protocols: { grpc: endpoint(grpc), http: endpoint(http) } } },
      exporters: { jaeger_storage_exporter: { trace_storage: 'here' } },
    };
    const file = world.write('jaeger.json', JSON.stringify(config)); // JSON is YAML
    const child = spawn(path.join(FOLDER, 'jaeger'), ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    const jaeger = new Jaeger();
    Object.assign(jaeger, { grpc, http, api: `http://127.0.0.1:${query}/api`, errors: '' });
    child.stderr.on('data', (data) => { jaeger.errors += data; });
    t.after(() => stop(child));
    await until('Jaeger answers', async () => {
      assert.equal(child.exitCode, null, jaeger.errors);
      return fetch(`${jaeger.api}/services`).then((answer) => answer.ok, () => false);
    });
    return jaeger;
  }

  // The spans of one trace as Jaeger tells them, once there are as many.
  async trace(id, count) {
    return until(`${count} spans of ${id}`, async () => {
      const answer = await fetch(`${this.api}/traces/${id}`);
      if (!answer.ok) return null;
      const { data: [trace] } = await answer.json();
      return trace && trace.spans.length >= count ? trace : null;
    });
  }
}
