// What must hold for every agent CLI (providers/README.md): one function per row of the table in docs/providers.md. Each starts real CLIs in a world of
// its own and throws what does not hold; Skip says that it could not be tried here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { AWF, TOOLS, attributes, commandLinesWith, rolesBelow, sleep, toolCallsOf, treeOf } from './support.mjs';

export class Skip extends Error {}

const SENTENCE = 'Use only MCP tools, never built-in tools.';
const HANGS = { tools: [{ name: 'Bash', input: { command: 'setsid sleep 300 & touch started; sleep 300' } }] };
const PATIENCE = 15_000; // a second is usual; the machine may be busy

const flow = (states, initial = 'work') => ({ name: 'interop', states: { initial, ...states, done: { type: 'terminal' } } });
const step = (d, options, { name = 'work', prompt = 'Do the work.', proxy = {}, next = 'done', ...more } = {}) => ({
  [name]: {
    type: 'agent', provider: d.name, prompt, timeout: '2m', ...(Object.keys(options).length > 0 && { options }),
    mcp_proxy: { enable: true, ...proxy }, ...(next && { on_success: next }), ...more,
  },
});

// A world in which the CLI is found, beside a model with that scenario.
async function begin(d, world, t, turns) {
  world.prefer(d.bin);
  const model = await d.start(world, t, Array.isArray(turns) ? { turns } : turns);
  return { options: model.options ?? {}, requests: () => model.requests(), main: () => model.requests().filter((r) => r.offered.length > 0) };
}

const ours = (d) => (d.offers ? [...d.offers] : [...TOOLS.map(d.shown), ...(d.extras ?? [])]).sort();
function assertOnlyOurs(d, requests, atLeast = 1) {
  assert.ok(requests.length >= atLeast, `${requests.length} requests with tools, ${atLeast} expected`);
  for (const { offered } of requests) assert.deepEqual([...offered].sort(), ours(d), 'tools on offer');
}
const assertCode = (run, code) => assert.equal(JSON.parse(run.stdout).error?.code, code, run.stderr);
const isolationOf = (run) => run.audit.filter((r) => r.type === 'isolation').at(-1);
const warnings = (run) => run.stderr.split('WARN: mcp_proxy on provider=').length - 1;

// The calls in the order of the audit, whatever order the CLI sent them in.
function assertRecorded(run, expected) {
  const calls = toolCallsOf(run);
  assert.deepEqual(calls.audit.map((r) => [r.tool, r.outcome]).sort(), [...expected].sort());
  assert.deepEqual(calls.log.map((r) => r.call).sort(), calls.audit.map((r) => r.call).sort(), 'log lines and audit records');
  assert.deepEqual(calls.spans.map((s) => s.name).sort(), calls.audit.map((r) => `tool.call: ${r.tool}`).sort(), 'spans and audit records');
  return calls;
}

// One run serves two rows: what it did, and how far it could be trusted.
async function golden(d, world, t) {
  world.write('ws/in.txt', 'hello\n');
  const model = await begin(d, world, t, [
    { text: 'reading', tools: [{ name: 'Read', input: { path: 'in.txt' } }] },
    { tools: [{ name: 'Write', input: { path: 'out.txt', content: 'written by the model\n' } },
      { name: 'Bash', input: { command: 'echo from-bash; exit 3' } }] },
    { text: 'all done' },
  ]);
  const seen = new Set();
  const run = await world.run(flow(step(d, model.options, { prompt: 'PROMPT-MARK-1234: do the work.', system_prompt: 'SYSTEM-MARK-1234' })), {
    onStart: async (child) => {
      while (child.exitCode === null && child.signalCode === null) {
        for (const line of commandLinesWith('MARK-1234')) seen.add(line);
        await sleep(100);
      }
    },
  });
  const out = world.path('ws/out.txt');
  return { run, main: model.main(), inArgv: [...seen], written: fs.existsSync(out) ? fs.readFileSync(out, 'utf8') : null };
}
const once = (d, world, t) => (d.golden ??= golden(d, world, t));

async function tools(d, { world, t }) {
  const scratch = world();
  const { run, main, inArgv, written } = await once(d, scratch, t);
  assert.equal(run.code, 0, run.stderr);
  assertOnlyOurs(d, main, 3);
  assert.equal(written, 'written by the model\n');
  for (const mark of ['hello', 'from-bash', 'PROMPT-MARK-1234', 'SYSTEM-MARK-1234'])
    assert.ok(main.at(-1).text.includes(mark), `${mark} reaches the model`);
  assert.deepEqual(inArgv, [], 'prompts on a command line');
  const calls = assertRecorded(run, [['Read', 'ok'], ['Write', 'ok'], ['Bash', 'error']]);
  for (const { client_call_id: id } of calls.audit) {
    if (d.callIds) assert.ok(id, 'the call has the id that the CLI knows it by');
    if (id) assert.ok(main.at(-1).text.includes(id), `the model knows the call as ${id}`);
  }
  assert.deepEqual(calls.spans.map((s) => attributes(s)['gen_ai.tool.call.id']).sort(), calls.audit.map((r) => r.client_call_id).sort());
  assert.equal(run.audit.filter((r) => r.type === 'bypass').length, 0);
  const done = run.audit.find((r) => r.type === 'step.completed' && r.step === 'work');
  assert.equal(done.changed_outside_proxy ?? 0, 0);
  const result = JSON.parse(run.stdout).states.work;
  assert.equal(result.Output, 'all done');
  assert.ok(result.TokensUsed > 0);
  await scratch.assertNothingLeft();
  if (d.offers) return 'no: its own tools are offered as well, and denied; calls of awf\'s act and are recorded';
}

async function level(d, { world, t }) {
  const { run, main } = await once(d, world(), t);
  assert.equal(run.code, 0, run.stderr);
  const isolation = isolationOf(run);
  assert.equal(isolation.level, d.level, isolation.reason);
  if (isolation.announced) assert.deepEqual([...isolation.announced].sort(), TOOLS.map(d.shown).sort());
  assert.deepEqual(isolation.foreign, []);
  const told = run.log.find((r) => r.message.startsWith('mcp proxy ') && r.isolation);
  assert.equal(told.version, d.version);
  const weak = d.level !== 'proven';
  assert.equal(warnings(run), weak ? 1 : 0, run.stderr);
  if (weak) {
    const found = new RegExp(`^      found ${d.version}, verified .*${d.version}, level ${d.level}$`, 'm');
    for (const part of [`provider=${d.name} runs in coexistence mode.`, d.offers ? 'Native tools cannot be disabled: ' : `run awf doctor --probe ${d.name}`])
      assert.ok(run.stderr.includes(part), `${part}\n${run.stderr}`);
    assert.match(run.stderr, found);
  }
  assert.equal(main[0].text.includes(SENTENCE), weak, 'the sentence in the prompt');
  return isolation.level;
}

async function hostile(d, { world, t }) {
  const scratch = world();
  const model = await begin(d, scratch, t, [{ tools: [{ name: 'Write', input: { path: 'out.txt', content: 'x' } }] }, { text: 'done' }]);
  const planted = await d.hostile(scratch);
  const { markers, reach = [], absent = [] } = Array.isArray(planted) ? { markers: planted } : planted;
  const before = { ws: treeOf(scratch.path('ws')), home: treeOf(scratch.path('home')) };
  const run = await scratch.run(flow(step(d, model.options)));
  assert.equal(run.code, 0, run.stderr);
  assertOnlyOurs(d, model.main(), 2);
  assertRecorded(run, [['Write', 'ok']]);
  for (const marker of markers) assert.ok(!fs.existsSync(marker), `${path.basename(marker)} ran`);
  const texts = model.main().map((r) => r.text);
  for (const mark of reach) assert.ok(texts.every((text) => text.includes(mark)), `${mark} reaches the model`);
  for (const mark of absent) assert.ok(!texts.some((text) => text.includes(mark)), `${mark} does not reach the model`);

  const after = { ws: treeOf(scratch.path('ws')), home: treeOf(scratch.path('home')) };
  assert.ok(after.ws.delete('out.txt'), 'the file was written');
  assert.deepEqual(Object.fromEntries(after.ws), Object.fromEntries(before.ws), 'the workspace');
  for (const [file, what] of before.home) {
    if (!d.rewrites?.includes(file)) assert.equal(after.home.get(file), what, `~/${file} was changed`);
  }
  const own = [...(d.state ?? []), ...(d.rewrites ?? []), '.local/state/awf'];
  const isOwn = (file) => own.some((folder) => file === folder || file.startsWith(`${folder}/`) || folder.startsWith(`${file}/`));
  assert.deepEqual([...after.home.keys()].filter((file) => !before.home.has(file) && !isOwn(file)), [], 'new in the home');
  await scratch.assertNothingLeft();
}

// The program of that name found first: it takes away what mcp-serve starts with, then becomes the real one.
const sabotage = (d, world) => world.write(`bin/${d.program}`,
  `#!/bin/sh\nfind '${world.path('run')}' -name serve.json -exec rm -f {} + 2>/dev/null\nexec '${d.bin}' "$@"\n`, 0o755);

async function notConnected(d, { world, t }) {
  const scratch = world();
  const model = await begin(d, scratch, t, [{ text: 'I pretend to have worked' }]);
  sabotage(d, scratch);
  const run = await scratch.run(flow(step(d, model.options)));
  assert.equal(run.code, 3, run.stderr);
  assertCode(run, 'EXECUTION.MCP_PROXY.NOT_CONNECTED');
  await scratch.assertNothingLeft();
}

// Kills every mcp-serve of the world, also those that come after, until awf ends.
async function killServers(world, child) {
  while (child.exitCode === null && child.signalCode === null) {
    killServersOnce(world);
    await sleep(100);
  }
}
function killServersOnce(world) {
  for (const { pid, words } of world.processes()) {
    if (words[1] === 'mcp-serve') { try { process.kill(pid, 'SIGKILL'); } catch { /* ended meanwhile */ } }
  }
}

const crash = (d, { world, t }) => Promise.all([inMidCall(d, world(), t), ...(d.restarts ? [restart(d, world(), t)] : [])]).then(() => undefined);

async function inMidCall(d, scratch, t) {
  const model = await begin(d, scratch, t, [{ tools: [{ name: 'Bash', input: { command: 'touch started; sleep 60' } }] }, { text: 'I go on regardless' }]);
  const run = await scratch.run(flow(step(d, model.options)), {
    onStart: async (child) => { if (await scratch.appears('ws/started', child)) await killServers(scratch, child); },
  });
  assert.equal(run.code, 3, run.stderr);
  assertCode(run, 'EXECUTION.MCP_PROXY.LOST');
  const calls = toolCallsOf(run);
  assert.ok(calls.audit.length >= 1 && calls.audit.every((r) => r.tool === 'Bash' && r.outcome === 'lost'), JSON.stringify(calls.audit));
  assert.deepEqual([calls.log.length, calls.spans.length], [calls.audit.length, calls.audit.length]);
  assert.ok(run.audit.some((r) => r.type === 'proxy.lost'));
  await scratch.assertNothingLeft();
}

// The server dies while no call runs, and the CLI starts it anew: the step goes on, with a warning.
async function restart(d, scratch, t) {
  const model = await begin(d, scratch, t, [
    { tools: [{ name: 'Bash', input: { command: 'touch started' } }] },
    { delay_ms: 1500, tools: [{ name: 'Write', input: { path: 'out.txt', content: 'x' } }] }, { text: 'done' }]);
  const run = await scratch.run(flow(step(d, model.options)), {
    onStart: async (child) => {
      if (!(await scratch.appears('ws/started', child))) return;
      while (model.main().length < 2 && child.exitCode === null) await sleep(20);
      killServersOnce(scratch);
    },
  });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(fs.readFileSync(scratch.path('ws/out.txt'), 'utf8'), 'x');
  assert.deepEqual(run.audit.filter((r) => r.type === 'proxy.lost').map((r) => [r.calls, r.replaced, r.code]), [[0, true, undefined]]);
  assert.equal(run.log.find((r) => r.message === 'mcp proxy lost').level, 'warn');
  await scratch.assertNothingLeft();
}

async function native(d, { world, t }) {
  const scratch = world();
  const mark = scratch.path('native');
  const model = await begin(d, scratch, t, [{ tools: [{ ...d.native(mark), native: true }] }, { text: 'done' }]);
  const run = await scratch.run(flow(step(d, model.options)));
  assert.equal(run.code, 0, run.stderr);
  assert.ok(!fs.existsSync(mark), 'the native tool acted');
  const told = run.log.filter((r) => r.message === 'native_call_refused');
  assert.deepEqual(told.map((r) => [r.provider, r.level]), d.refusals === false ? [] : [[d.name, 'info']], run.stderr);
  assert.ok(model.main().length >= 2, 'the model was told');
  assert.equal(run.audit.filter((r) => r.type === 'bypass').length, 0);
  assert.equal(toolCallsOf(run).audit.length, 0);
  assert.equal(isolationOf(run).level, d.level);
  await scratch.assertNothingLeft();
  return d.refusals === false ? 'yes: the CLI does not tell of it, so awf has no line about it' : 'yes';
}

async function required(d, { world, t }) {
  const scratch = world();
  const model = await begin(d, scratch, t, [{ tools: [{ name: 'Bash', input: { command: 'true' } }] }, { text: 'done' }]);
  const run = await scratch.run(flow(step(d, model.options, { proxy: { isolation: 'required' } })));
  assert.equal(run.code, 0, run.stderr);
  assert.equal(isolationOf(run).level, 'proven');
  assert.equal(warnings(run), 0, run.stderr);
  assertRecorded(run, [['Bash', 'ok']]);
  assertOnlyOurs(d, model.main(), 2);
  assert.ok(!model.main()[0].text.includes(SENTENCE));
  await scratch.assertNothingLeft();
  if (d.level === 'proven') return;
  // The proof is kept, and serves steps that do not ask for it.
  const again = await scratch.run(flow(step(d, model.options)));
  assert.equal(again.code, 0, again.stderr);
  assert.equal(isolationOf(again).level, 'proven');
  assert.equal(warnings(again), 0, again.stderr);
}

// Steps that don't intercept: the CLI's own tools are there, the six are not.
async function additive(d, { world, t }) {
  const scratch = world();
  const model = await begin(d, scratch, t, [{ text: 'done' }]);
  const run = await scratch.run(flow(step(d, { ...model.options, ...d.additive }, { proxy: { enable: false } })));
  assert.equal(run.code, 0, run.stderr);
  assert.ok(model.main().length >= 1, 'the model was asked');
  for (const { offered } of model.main()) {
    for (const name of d.natives) assert.ok(offered.includes(name), `${name} in ${offered}`);
    assert.deepEqual(offered.filter((name) => TOOLS.map(d.shown).includes(name)), []);
  }
  assert.equal(warnings(run), 0, run.stderr);
  assert.equal(isolationOf(run), undefined);
  await scratch.assertNothingLeft();
}

async function sigterm(d, { world, t }) {
  const scratch = world();
  const model = await begin(d, scratch, t, [HANGS, { text: 'done' }]);
  const run = await scratch.run(flow(step(d, model.options)), {
    onStart: async (child) => { if (await scratch.appears('ws/started', child)) child.kill('SIGTERM'); },
  });
  assert.equal(run.signal, 'SIGTERM', run.stderr);
  assert.deepEqual(toolCallsOf(run).audit.map((r) => [r.tool, r.outcome]), [['Bash', 'cancelled']]);
  assert.deepEqual([run.audit.at(-1).type, run.audit.at(-1).status], ['run.completed', 'cancelled']);
  await scratch.assertNothingLeft();
}

async function killed(d, scratch, t, victim) {
  const model = await begin(d, scratch, t, [HANGS, { text: 'done' }]);
  let roles = {};
  const run = await scratch.run(flow(step(d, model.options)), {
    onStart: async (child) => {
      if (!(await scratch.appears('ws/started', child))) return;
      roles = { awf: child.pid, ...rolesBelow(child.pid) };
      if (!roles[victim]) return child.kill('SIGKILL'); // there is none
      if (victim === 'server') return killServers(scratch, child);
      process.kill(roles[victim], 'SIGKILL');
    },
  });
  await scratch.assertNothingLeft(PATIENCE);
  if (!roles[victim]) return roles;
  const verify = spawnSync(AWF, ['audit', 'verify', run.folder], { env: scratch.env, encoding: 'utf8' });
  assert.equal(verify.status, victim === 'awf' ? 3 : 0, `${victim} killed: ${verify.stdout}${verify.stderr}`);
  if (victim === 'awf') assert.equal(run.signal, 'SIGKILL');
  else assert.equal(run.code, 3, `${victim} killed: ${run.stderr}`);
  return roles;
}

async function kill(d, { world, t }) {
  const roles = await killed(d, world(), t, 'awf');
  for (const role of ['keeper', 'server', 'cli']) assert.ok(roles[role], `${role} was not found`);
  await Promise.all([killed(d, world(), t, 'keeper'), killed(d, world(), t, 'cli')]);
  await Promise.all([killed(d, world(), t, 'server'), ...(roles.launcher ? [killed(d, world(), t, 'launcher')] : [])]);
}

async function parallel(d, { world, t }) {
  const scratch = world();
  const names = ['left', 'right'];
  const model = await begin(d, scratch, t, { turns: [], groups: names.map((name) => ({
    match: `STEP-${name}`, turns: [{ tools: [{ name: 'Write', input: { path: `${name}.txt`, content: name } }] },
      { tools: [{ name: 'Bash', input: { command: `echo ${name} >> both.txt` } }] }, { text: `${name} is done` }] })) });
  const run = await scratch.run(flow({
    both: { type: 'parallel', strategy: 'all_succeed', parallel: names, on_success: 'done' },
    ...Object.assign({}, ...names.map((name) => step(d, model.options, { name, prompt: `STEP-${name}`, next: null }))),
  }, 'both'));
  assert.equal(run.code, 0, run.stderr);
  assertOnlyOurs(d, model.main(), 6);
  for (const name of names) {
    assert.equal(fs.readFileSync(scratch.path('ws', `${name}.txt`), 'utf8'), name);
    const calls = run.audit.filter((r) => r.type === 'tool.call' && r.step === name);
    assert.deepEqual(calls.map((r) => [r.tool, r.outcome]), [['Write', 'ok'], ['Bash', 'ok']], name);
    assert.equal(JSON.parse(run.stdout).states[name].Output, `${name} is done`);
  }
  assert.equal(fs.readFileSync(scratch.path('ws/both.txt'), 'utf8').split('\n').sort().join(' ').trim(), 'left right');
  assert.ok(warnings(run) <= 1, 'one warning per provider and run');
  await scratch.assertNothingLeft();
}

async function resume(d, { world, t }) {
  const scratch = world();
  const model = await begin(d, scratch, t, [
    { text: 'ANSWER-MARK-ONE' }, { tools: [{ name: 'Write', input: { path: 'out.txt', content: 'second' } }] }, { text: 'answer two' }]);
  const workflow = flow({
    ...step(d, model.options, { name: 'first', prompt: 'PROMPT-MARK-ONE', next: 'second' }),
    ...step(d, model.options, { name: 'second', prompt: 'PROMPT-MARK-TWO', conversation: { continue_from: 'first' } }),
  }, 'first');
  const file = scratch.write('resume.yaml', JSON.stringify(workflow));
  const validated = spawnSync(AWF, ['validate', file], { env: scratch.env, encoding: 'utf8' });
  if (validated.status !== 0 && /conversation/.test(validated.stdout + validated.stderr)) throw new Skip('awf does not know conversation.continue_from yet');
  const run = await scratch.run(workflow);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(fs.readFileSync(scratch.path('ws/out.txt'), 'utf8'), 'second');
  const last = model.main().at(-1).text;
  for (const mark of ['PROMPT-MARK-ONE', 'ANSWER-MARK-ONE', 'PROMPT-MARK-TWO']) assert.ok(last.includes(mark), `${mark} reaches the model`);
  assertOnlyOurs(d, model.main(), 3);
  assert.equal(JSON.parse(run.stdout).states.second.Output, 'answer two');
  await scratch.assertNothingLeft();
}

const refusal = (status, code) => async (d, { world, t }) => {
  const scratch = world();
  const model = await begin(d, scratch, t, [{ error: { status } }]);
  const run = await scratch.run(flow(step(d, model.options)));
  assert.equal(run.code, 3, run.stderr);
  assertCode(run, code);
  await scratch.assertNothingLeft();
};

async function probe(d, { world, t }) {
  const scratch = world();
  const awf = (...words) => spawnSync(AWF, words, { cwd: scratch.path('ws'), env: scratch.env, encoding: 'utf8', timeout: 120_000 });
  if (/not supported yet/.test(awf('doctor').stderr)) throw new Skip('awf has no doctor yet');
  const model = await begin(d, scratch, t, [{ text: 'done' }]);
  const doctor = awf('doctor', '--probe', d.name);
  assert.equal(doctor.status, 0, doctor.stdout + doctor.stderr);
  assert.match(doctor.stdout, /\bproven\b/);
  assert.deepEqual(model.requests(), [], 'a probe asks the model of awf alone');
  const run = await scratch.run(flow(step(d, model.options)));
  assert.equal(run.code, 0, run.stderr);
  assert.equal(isolationOf(run).level, 'proven', 'the step after the probe');
  await scratch.assertNothingLeft();
}

// In the order of the table.
export const CHECKS = [
  { name: 'tools', title: 'exactly awf\'s tools are offered, calls act and are recorded', run: tools },
  { name: 'level', title: 'isolation level without a probe', run: level },
  { name: 'required', title: '`isolation: required` proves it and runs', run: required },
  { name: 'probe', title: '`awf doctor --probe` reaches `proven`', run: probe },
  { name: 'native', title: 'a native call of the model is refused', run: native },
  { name: 'hostile', title: 'hostile configuration does nothing, nothing is written', run: hostile },
  { name: 'not_connected', title: 'a server that cannot start is noticed', run: notConnected },
  { name: 'crash', title: 'a server that crashes is noticed', run: crash },
  { name: 'sigterm', title: 'SIGTERM leaves nothing', run: sigterm },
  { name: 'kill', title: 'kill -9 of any process leaves nothing', run: kill },
  { name: 'parallel', title: 'two steps at the same time', run: parallel },
  { name: 'resume', title: '`continue_from` goes on with a conversation', run: resume },
  { name: 'additive', title: 'without the proxy: its own tools, none of awf\'s', run: additive },
  { name: 'auth', title: 'a refused key is told as such', run: refusal(401, 'EXECUTION.AGENT.AUTH') },
  { name: 'rate_limited', title: 'a rate limit is told as such', run: refusal(429, 'EXECUTION.AGENT.RATE_LIMITED') },
];
