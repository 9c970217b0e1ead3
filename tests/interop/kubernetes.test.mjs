// The Kubernetes example of docs/plugins.md, word for word: the example plugin over the fake kubectl, with the real
// Claude Code and with a model of the Chat Completions format, both scripted.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { startModel } from './models.mjs';
import { AWF, TOOLS, World, attributes, toolCallsOf } from './support.mjs';

const PLUGIN = process.env.AWF_KUBERNETES_PLUGIN;
const source = (file) => fs.readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const guide = source('docs/plugins.md');
const example = (name) => {
  const block = new RegExp('^```yaml ' + name.replaceAll('.', '\\.') + '\\n([\\s\\S]*?)^```', 'm').exec(guide);
  assert.ok(block, `docs/plugins.md shows ${name}`);
  return block[1];
};

const EXPOSED = ['kubernetes_kubectl_get', 'kubernetes_kubectl_logs'];
const POD = 'worker-5c9f7d6b4-lm8zt';

// What the model does: looks, reads a log, makes a mistake, says what it found.
const turns = (tool) => [
  { tools: [{ name: tool('kubernetes_kubectl_get'), input: { resource: 'pods' } }] },
  { tools: [{ name: tool('kubernetes_kubectl_logs'), input: { pod: POD } }, { name: tool('kubernetes_kubectl_logs'), input: { pod: 7 } }] },
  { text: 'QUEUE_PASSWORD is not set' },
];

function kubernetesWorld(t) {
  const world = new World(t);
  const folder = world.path('ws', 'tools', 'awf-plugin-kubernetes');
  fs.cpSync(path.dirname(PLUGIN), folder, { recursive: true });
  world.write('ws/tools/awf-plugin-kubernetes/fake-kubectl', source('examples/plugins/kubernetes/fake/kubectl'), 0o755);
  world.write('ws/.awf/plugins.yaml', example('.awf/plugins.yaml'));
  world.env.FAKE_KUBECTL_LOG = world.path('kubectl.log');
  return world;
}

async function check(world, run) {
  assert.equal(run.code, 0, run.stdout + run.stderr);
  assert.equal(JSON.parse(run.stdout).states.triage.Output, 'QUEUE_PASSWORD is not set');
  const seen = toolCallsOf(run);
  const names = ['kubernetes_kubectl_get', 'kubernetes_kubectl_logs', 'kubernetes_kubectl_logs'];
  assert.deepEqual(seen.log.map((r) => r.tool), names);
  assert.deepEqual(seen.audit.map((r) => [r.tool, r.source]), names.map((name) => [name, 'plugin:kubernetes']));
  assert.deepEqual(seen.spans.map((s) => s.name), names.map((name) => `tool.call: ${name}`));
  for (const span of seen.spans) assert.equal(attributes(span)['tool.source'], 'plugin:kubernetes');
  // The RPC is an event on the span; a call with an argument of the wrong kind never reaches the plugin.
  const rpc = (span) => (span.events ?? []).filter((e) => e.name === 'rpc').length;
  assert.deepEqual(seen.spans.map(rpc).sort(), [0, 1, 1]);
  assert.deepEqual(fs.readFileSync(world.path('kubectl.log'), 'utf8').trim().split('\n').map((line) => line.replace(/ .*/, '')).sort(), ['get', 'logs']);
  assert.deepEqual(run.audit.filter((r) => r.type.startsWith('plugin.')).map((r) => r.type), ['plugin.started', 'plugin.stopped']);
  await world.assertNothingLeft();
}

// What the last request tells the model of its calls.
const answers = (model) => model.requests().at(-1).text;
function checkAnswers(model) {
  assert.match(answers(model), /CrashLoopBackOff/);
  assert.match(answers(model), /fatal: environment variable QUEUE_PASSWORD is not set/);
  assert.match(answers(model), /pod/);
  assert.match(answers(model), /string/);
}

test('the Kubernetes example of the guide with Claude Code', async (t) => {
  const world = kubernetesWorld(t);
  const model = await world.model(t, { turns: turns((name) => `~${name}`) });
  const run = await world.run(example('triage.yaml'));
  await check(world, run);
  checkAnswers(model);
  const offered = model.requests().find((r) => r.offered.length > 0).offered.map((name) => name.replace(/^mcp__.*?__/, ''));
  assert.deepEqual(offered.sort(), [...TOOLS, ...EXPOSED].sort());
});

test('the Kubernetes example of the guide with openai_compatible', async (t) => {
  const world = kubernetesWorld(t);
  const model = await startModel(world, t, 'openai-chat', { turns: turns((name) => name) });
  const workflow = example('triage.yaml').replace('provider: claude', 'provider: openai_compatible');
  const run = await world.run(workflow, { env: { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_MODEL: 'scripted' } });
  await check(world, run);
  checkAnswers(model);
  assert.deepEqual(model.requests()[0].offered.sort(), [...TOOLS, ...EXPOSED].sort());
});

test('the Kubernetes example of the guide is valid, and names what is wrong with it', async (t) => {
  const world = kubernetesWorld(t);
  const awf = (...words) => spawnSync(AWF, words, { cwd: world.path('ws'), env: world.env, encoding: 'utf8' });
  assert.equal(awf('plugin', 'lock').status, 0);
  world.write('ws/triage.yaml', example('triage.yaml'));
  assert.equal(awf('validate', 'triage.yaml').status, 0);
  world.write('ws/triage.yaml', example('triage.yaml').replace('kubectl_logs]', 'kubectl_log]'));
  const wrong = awf('validate', 'triage.yaml');
  assert.equal(wrong.status, 1, wrong.stdout + wrong.stderr);
  assert.match(wrong.stdout + wrong.stderr, /USER\.MCP_PROXY\.UNKNOWN_OPERATION[\s\S]*kubectl_logs/);
});
