// Real back ends of OpenTelemetry: what `awf run` exports over gRPC and HTTP, plain and TLS, is in the OpenTelemetry
// Collector's receiver and in Jaeger what it is in the trace file of the same run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import test from 'node:test';
import { Collector, Jaeger, certificate, unusable, until } from './backends.mjs';
import { World, agentWorkflow, attributes, sleep } from './support.mjs';

const skip = unusable();

// Branches, a loop, a retry, a failure that is caught: every shape of the tree without an agent.
const COMMANDS = `
name: shapes
states:
  initial: both
  both:
    type: parallel
    strategy: all_succeed
    parallel: [left, right]
    on_success: each
  left: {type: step, command: 'true'}
  right: {type: step, command: 'true'}
  each:
    type: for_each
    items: [a, b]
    body: [one]
    on_complete: shaky
  one: {type: step, command: 'echo {{.loop.Item}}'}
  shaky:
    type: step
    command: 'exit 7'
    retry: {max_attempts: 2, initial_delay: 10ms}
    on_success: done
    on_failure: done
  done: {type: terminal}
`;

const byId = (spans) => new Map(spans.map((span) => [span.spanId, span]));

function assertSameTree(exported, file) {
  assert.ok(file.length > 0, 'there are spans');
  assert.equal(exported.length, file.length);
  const found = byId(exported);
  for (const span of file) {
    const twin = found.get(span.spanId);
    assert.ok(twin, `span ${span.name} has arrived`);
    for (const key of ['traceId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano'])
      assert.deepEqual(twin[key], span[key], `${span.name}: ${key}`);
    assert.equal(twin.parentSpanId ?? '', span.parentSpanId ?? '', `${span.name}: parent`);
    assert.deepEqual(attributes(twin), attributes(span), span.name);
    assert.equal(twin.status?.code ?? 0, span.status?.code ?? 0, `${span.name}: status`);
    assert.deepEqual((twin.events ?? []).map((e) => e.name), (span.events ?? []).map((e) => e.name), span.name);
  }
}

for (const secure of [false, true]) {
  for (const protocol of ['otlp', 'otlp-http']) {
    const name = `${protocol}${secure ? ' over TLS' : ''}`;
    const scheme = secure ? 'https' : 'http';

    test(`the collector gets the tree with ${name}`, { skip }, async (t) => {
      const world = new World(t);
      const tls = secure ? certificate(world) : undefined;
      const collector = await Collector.start(t, { tls });
      const port = protocol === 'otlp' ? collector.grpc : collector.http;
      const run = await world.run(COMMANDS, {
        args: ['--otel-exporter', protocol, '--otel-service-name', 'interop-service'],
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: `${scheme}://127.0.0.1:${port}`,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-team=alpha%20beta,authorization=Bearer%20secret-of-the-collector',
          OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
          ...(secure && { OTEL_EXPORTER_OTLP_CERTIFICATE: tls.cert, OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }),
        },
      });
      assert.equal(run.code, 0, run.stderr);
      await until('all spans', () => collector.spans.length >= run.spans.length);
      assertSameTree(collector.spans, run.spans);
      assert.equal(run.spans.filter((s) => s.name === 'step: one').length, 2);
      for (const request of collector.received) {
        assert.deepEqual(request.headers['x-team'], ['alpha beta']);
        assert.deepEqual(request.headers.authorization, ['Bearer secret-of-the-collector']);
        const resource = attributes(request.resourceSpans[0].resource);
        assert.equal(resource['service.name'], 'interop-service');
        assert.equal(resource['deployment.environment'], 'test');
      }
      assert.ok(!(run.stdout + run.stderr + JSON.stringify([run.log, run.audit, run.spans])).includes('secret-of-the-collector'));
    });

    test(`Jaeger gives the tree back that came with ${name}`, { skip }, async (t) => {
      const world = new World(t);
      const tls = secure ? certificate(world) : undefined;
      const jaeger = await Jaeger.start(t, world, { tls });
      world.write('ws/in.txt', 'hello\n');
      await world.model(t, { turns: [
        { text: 'reading', tools: [{ name: '~Read', input: { path: 'in.txt' }, id: 'toolu_read' }] },
        { tools: [{ name: '~Bash', input: { command: 'exit 3' }, id: 'toolu_bash' }] }, { text: 'all done' }] });
      const port = protocol === 'otlp' ? jaeger.grpc : jaeger.http;
      const run = await world.run(agentWorkflow(), {
        args: ['--otel-exporter', protocol],
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: `${scheme}://127.0.0.1:${port}`, OTEL_SERVICE_NAME: 'in-jaeger',
          ...(secure && { OTEL_EXPORTER_OTLP_CERTIFICATE: tls.cert }),
        },
      });
      assert.equal(run.code, 0, run.stderr);
      const root = run.spans.find((s) => s.name === 'workflow.execution');
      const trace = await jaeger.trace(root.traceId, run.spans.length);
      assert.equal(trace.spans.length, run.spans.length);
      const found = new Map(trace.spans.map((span) => [span.spanID, span]));
      for (const span of run.spans) {
        const twin = found.get(span.spanId);
        assert.ok(twin, `Jaeger has ${span.name}`);
        assert.equal(twin.operationName, span.name);
        assert.equal(trace.processes[twin.processID].serviceName, 'in-jaeger');
        const parents = twin.references.filter((r) => r.refType === 'CHILD_OF').map((r) => r.spanID);
        assert.deepEqual(parents, span.parentSpanId ? [span.parentSpanId] : []);
        const tags = Object.fromEntries(twin.tags.map(({ key, value }) => [key, value]));
        for (const [key, value] of Object.entries(attributes(span))) assert.deepEqual(tags[key], value, `${span.name}: ${key}`);
        if (span.status?.code === 2) assert.equal(tags.error, true);
      }
      assert.deepEqual(run.spans.map((s) => s.name).sort(),
        ['step: done', 'step: work', 'tool.call: Bash', 'tool.call: Read', 'workflow.execution']);
    });
  }
}

const SLOW = `
name: slow
states:
  initial: first
  first: {type: step, command: 'echo first', on_success: wait}
  wait: {type: step, command: 'echo waiting; read go < "$GATE"', on_success: last}
  last: {type: step, command: 'true', on_success: done}
  done: {type: terminal}
`;

// A run that is held in its second step, until `go` is called.
async function held(world, port, protocol) {
  const gate = world.path('gate');
  assert.equal(spawnSync('mkfifo', [gate]).status, 0);
  const ended = world.run(SLOW, {
    args: ['--otel-exporter', protocol], env: { GATE: gate, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  await until('the step waits', () => world.records().audit.some((r) => r.type === 'step.started' && r.step === 'wait'));
  return { ended, go: () => fs.writeFileSync(gate, 'go\n') };
}

for (const protocol of ['otlp', 'otlp-http']) {
  test(`a collector killed in mid-run loses nothing with ${protocol} once it is back`, { skip }, async (t) => {
    const world = new World(t);
    const first = await Collector.start(t);
    const port = protocol === 'otlp' ? first.grpc : first.http;
    const run = await held(world, port, protocol);
    await until('the first span', () => first.spans.some((s) => s.name === 'step: first'));
    await first.kill();
    await sleep(100);
    const second = await Collector.start(t, { ports: [first.grpc, first.http] });
    run.go();
    const done = await run.ended;
    assert.equal(done.code, 0, done.stderr);
    assert.doesNotMatch(done.stderr, /WARN/);
    await until('all spans', () => first.spans.length + second.spans.length >= done.spans.length);
    assertSameTree([...first.spans, ...second.spans], done.spans);
  });

  test(`a collector that stays away with ${protocol} changes nothing but one warning`, { skip }, async (t) => {
    const world = new World(t);
    const collector = await Collector.start(t);
    const port = protocol === 'otlp' ? collector.grpc : collector.http;
    const run = await held(world, port, protocol);
    await until('the first span', () => collector.spans.some((s) => s.name === 'step: first'));
    await collector.kill();
    run.go();
    const done = await run.ended;
    assert.equal(done.code, 0, done.stderr);
    assert.equal(done.stderr.split('\n').filter((line) => /WARN/.test(line)).length, 1, done.stderr);
    const warnings = done.log.filter((r) => r.level === 'warn');
    assert.equal(warnings.length, 1);
    assert.equal(warnings[0].count, done.spans.length - 1);
    assert.ok(warnings[0].endpoint.includes(String(port)));
  });
}

test('a certificate that is not known is refused, and said', { skip }, async (t) => {
  const world = new World(t);
  const collector = await Collector.start(t, { tls: certificate(world) });
  const done = await world.run(COMMANDS, {
    args: ['--otel-exporter', `https://127.0.0.1:${collector.http}/v1/traces`],
  });
  assert.equal(done.code, 0, done.stderr);
  assert.equal(collector.spans.length, 0);
  assert.match(done.stderr, /certificate/i);
});
