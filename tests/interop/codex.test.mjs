// Codex CLI beyond what every provider must do (providers.test.mjs): models that it knows, and what it makes of its settings.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import codex from './providers/codex.mjs';
import { TOOLS, World } from './support.mjs';

const skip = !fs.existsSync(codex.bin) && 'codex is not installed';
const OURS = [...TOOLS.map(codex.shown), ...codex.extras].sort();

// Runs one step; resolves with the run, the requests to the model and the step's result.
async function work(t, turns, { options = {}, proxy = {}, prepare, from = (given) => given, ...more } = {}) {
  const world = new World(t);
  world.prefer(codex.bin);
  const model = await codex.start(world, t, { turns });
  await prepare?.(world);
  const step = {
    type: 'agent', provider: 'codex', prompt: 'Do the work.', timeout: '2m', on_success: 'done',
    options: from({ ...model.options, ...options }), mcp_proxy: { enable: true, ...proxy }, ...more,
  };
  const run = await world.run({ name: 'interop', states: { initial: 'work', work: step, done: { type: 'terminal' } } });
  await world.assertNothingLeft(2000);
  const audit = (type) => run.audit.filter((r) => r.type === type);
  return { world, run, requests: model.requests(), audit, isolation: audit('isolation').at(-1), result: JSON.parse(run.stdout) };
}
const write = { tools: [{ name: 'Write', input: { path: 'out.txt', content: 'x' } }] };

describe('codex', { skip, concurrency: 2 }, () => {
  // Not known, known, known with a tool that runs JavaScript, only alike by name, behind a prefix; the one that Codex takes by itself is in providers.test.mjs.
  for (const model of ['fake-model', 'gpt-5.5', 'gpt-5.6-sol', 'gpt-6-sol', 'gpt-6.2-sol', 'gpt-5.5-fresh', 'openai/gpt-6']) {
    test(`offers only ours with model ${model}`, async (t) => {
      const { run, requests, isolation, world } = await work(t, [write, { text: 'done' }], { options: { model } });
      assert.equal(run.code, 0, run.stderr);
      assert.equal(requests.length, 2);
      for (const { offered } of requests) assert.deepEqual([...offered].sort(), OURS);
      assert.equal(isolation.level, 'flags', isolation.reason);
      assert.equal(fs.readFileSync(world.path('ws/out.txt'), 'utf8'), 'x');
    });
  }

  for (const [model, natives] of [['fake-model', ['exec_command', 'write_stdin', 'web_search']], ['gpt-5.5', ['exec_command', 'apply_patch']],
    ['gpt-6.2-sol', ['exec', 'wait']]]) {
    test(`keeps its own tools without proxy with ${model}`, async (t) => {
      const { run, requests, isolation } = await work(t, [{ text: 'done' }], { options: { model }, proxy: { enable: false } });
      assert.equal(run.code, 0, run.stderr);
      for (const name of natives) assert.ok(requests[0].offered.includes(name), `${name} in ${requests[0].offered}`);
      assert.equal(isolation, undefined);
    });
  }

  test('runs once more without strictness when a setting is not known, and is trusted less', async (t) => {
    const prepare = (world) => world.write('bin/codex',
      `#!/bin/sh\necho "$1" >> '${world.path('starts')}'\n` +
      `[ "$1" = exec ] && { shift; set -- exec -c features.gone=false "$@"; }\nexec '${codex.bin}' "$@"\n`, 0o755);
    const { run, requests, isolation, world } = await work(t, [write, { text: 'done' }], { prepare });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(fs.readFileSync(world.path('starts'), 'utf8').split('\n').filter((word) => word === 'exec').length, 2);
    for (const { offered } of requests) assert.deepEqual([...offered].sort(), OURS);
    assert.equal(isolation.level, 'coexisting');
    assert.match(isolation.reason, /does not know every setting/);
  });

  test('takes the project\'s memory, unless it shall not', async (t) => {
    const prepare = (world) => {
      world.write('ws/AGENTS.md', 'PROJECT-MARK');
      world.write('home/.codex/AGENTS.md', 'USER-MARK');
    };
    const marks = ({ requests }) => ['PROJECT-MARK', 'USER-MARK'].filter((mark) => requests[0].text.includes(mark));
    const on = await work(t, [{ text: 'done' }], { prepare });
    assert.deepEqual(marks(on), ['PROJECT-MARK', 'USER-MARK']);
    const off = await work(t, [{ text: 'done' }], { prepare, proxy: { project_memory: false } });
    assert.deepEqual(marks(off), ['USER-MARK']);
    assert.match(off.run.stderr, /codex still loads .*AGENTS\.md/);
  });

  test('does not read files that the text names with @, and runs no command of it', async (t) => {
    for (const prompt of ['look at @secret.txt', '/status', '!touch ran']) {
      const { run, requests, world } = await work(t, [{ text: 'done' }], { prompt, prepare: (w) => w.write('ws/secret.txt', 'SECRET-MARK') });
      assert.equal(run.code, 0, run.stderr);
      assert.ok(requests[0].text.includes(prompt));
      assert.ok(!requests[0].text.includes('SECRET-MARK'));
      assert.ok(!fs.existsSync(world.path('ws/ran')));
    }
  });

  test('passes results on as long as awf lets them be', async (t) => {
    const command = 'for i in $(seq 1 3900); do printf "line%05d\\n" $i; done';
    const { run, requests } = await work(t, [{ tools: [{ name: 'Bash', input: { command } }] }, { text: 'done' }]);
    assert.equal(run.code, 0, run.stderr);
    for (const line of ['line00001', 'line02000', 'line03900']) assert.ok(requests[1].text.includes(line), line);
  });

  test('hands effort and login over', async (t) => {
    const openai = (options) => ({ reasoning_effort: 'high', model: 'gpt-5.5',
      config: { openai_base_url: options.config.model_providers.scripted.base_url } });
    const { run, requests } = await work(t, [{ text: 'done' }], { from: openai });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(requests[0].body.reasoning.effort, 'high');
  });

  test('is stopped at the first refusal of its key', async (t) => {
    const openai = (options) => ({ model: 'gpt-5.5', config: { openai_base_url: options.config.model_providers.scripted.base_url } });
    const { result, requests } = await work(t, [{ error: { status: 401 } }], { from: openai });
    assert.equal(result.error.code, 'EXECUTION.AGENT.AUTH');
    assert.ok(requests.length < 6, `${requests.length} tries`); // by itself it tries six times
  });

  test('is proven for the model of the step that asks for it, and for no other', async (t) => {
    const world = new World(t);
    world.prefer(codex.bin);
    const model = await codex.start(world, t, { turns: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] });
    const step = (name, options, next, proxy = {}) => ({ [name]: { type: 'agent', provider: 'codex', prompt: 'Work.', timeout: '2m', on_success: next,
      options: { ...model.options, ...options }, mcp_proxy: { enable: true, ...proxy } } });
    const run = await world.run({ name: 'interop', states: { initial: 'asks', ...step('asks', { model: 'gpt-5.5' }, 'same', { isolation: 'required' }),
      ...step('same', { model: 'gpt-5.5' }, 'other'), ...step('other', { model: 'gpt-6-sol' }, 'done'), done: { type: 'terminal' } } });
    assert.equal(run.code, 0, run.stderr);
    const levels = run.audit.filter((r) => r.type === 'isolation').map((r) => [r.step, r.level]);
    assert.deepEqual(levels, [['asks', 'proven'], ['same', 'proven'], ['other', 'flags']]);
    await world.assertNothingLeft(2000);
  });

  test('asks our server for resources, which is no bypass', async (t) => {
    const call = (name, input) => ({ native: true, name, input });
    const { run, audit, isolation } = await work(t, [{ tools: [call('list_mcp_resources', {}), call('list_mcp_resource_templates', {}),
      call('read_mcp_resource', { server: 'awf-proxy', uri: 'x://y' })] }, { text: 'done' }]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(audit('bypass').length, 0);
    assert.equal(isolation.level, 'flags');
  });
});
