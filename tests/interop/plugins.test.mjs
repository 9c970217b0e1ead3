// Plugins of other makers and in other languages: a Go plugin on several versions of HashiCorp's go-plugin under awf; our
// plugins under go-plugin's own host; what `awf plugin init` writes, built and tried by the commands of its README.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from './backends.mjs';
import { AWF, World } from './support.mjs';

const PROGRAMS = fileURLToPath(new URL('../../build/interop/plugins', import.meta.url));
const DEMO = process.env.AWF_DEMO_PLUGIN;
const VERSIONS = /versions=\((.*?)\)/.exec(fs.readFileSync(new URL('plugins/build', import.meta.url), 'utf8'))[1].split(' ');
const MINUTES = 60_000;

function withoutGo() {
  const reason = path.join(PROGRAMS, 'skipped');
  if (fs.existsSync(reason)) return fs.readFileSync(reason, 'utf8').trim();
  return fs.existsSync(path.join(PROGRAMS, 'stamp')) ? false : 'the Go programs are not built (tests/interop/plugins/build)';
}
const noGo = withoutGo();

function pluginWorld(t) {
  const world = new World(t);
  fs.symlinkSync(AWF, world.path('bin', 'awf')); // tests of scaffolds find it in the PATH
  fs.mkdirSync(world.path('ws', '.awf', 'plugins'), { recursive: true });
  return world;
}

// A command of the user, in the workspace or in a folder of it.
function command(world, words, { folder = '.', env = {}, input } = {}) {
  const done = spawnSync(words[0], words.slice(1), {
    cwd: world.path('ws', folder), env: { ...world.env, ...env }, input, encoding: 'utf8', maxBuffer: 64 << 20, timeout: 5 * MINUTES });
  assert.equal(done.error, undefined, `${words.join(' ')}: ${done.error}`);
  return done;
}
function succeeds(world, words, options) {
  const done = command(world, words, options);
  assert.equal(done.status, 0, `${words.join(' ')}: ${done.signal ?? done.status}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}
const awf = (world, ...words) => command(world, [AWF, ...words]);

// ---- Go plugins under awf

function addGopher(world, version) {
  const folder = world.path('ws', '.awf', 'plugins', 'awf-plugin-gopher');
  fs.mkdirSync(folder);
  fs.copyFileSync(path.join(PROGRAMS, `gopher-${version}`), path.join(folder, 'awf-plugin-gopher'));
  fs.writeFileSync(path.join(folder, 'plugin.yaml'),
    'name: gopher\nversion: 0.1.0\nawf_version: ">= 0.11.0"\ncapabilities: [operations]\n');
}

const operation = (name, inputs, next) => ({ type: 'operation', operation: `gopher.${name}`, inputs, ...next });

// Each step goes on as it must; any other way ends in `wrong`, with exit code 1.
const everyWay = (mark) => ({
  name: 'every-way',
  states: {
    initial: 'add',
    add: operation('add', { a: 2, b: 40 }, { on_success: 'big' }),
    big: operation('big', { bytes: 8 << 20 }, { on_success: 'print' }),
    print: operation('print', { bytes: 1000 }, { on_success: 'fail' }),
    fail: operation('fail', { text: 'no luck' }, { on_success: 'wrong', on_failure: 'panic' }),
    panic: operation('panic', { text: 'ouch' }, { on_success: 'wrong', on_failure: 'hang' }),
    hang: operation('hang', { mark }, { timeout: '1s', on_success: 'wrong', on_failure: 'learns' }),
    // Cancelled is told to the plugin, which may take its time, and must not be ended before.
    learns: { type: 'step', command: `until grep -q ended '${mark}'; do sleep 0.02; done`, timeout: '60s', on_success: 'crash' },
    crash: operation('crash', { text: 'too much' }, { on_success: 'wrong', on_failure: 'after' }),
    after: operation('echo', { text: 'hello' }, { on_success: 'wrong', on_failure: 'done' }),
    wrong: { type: 'terminal', status: 'failure' },
    done: { type: 'terminal' },
  },
});

for (const version of VERSIONS) {
  test(`a plugin on go-plugin ${version}: check and call`, { skip: noGo }, async (t) => {
    const world = pluginWorld(t);
    addGopher(world, version);
    const checked = awf(world, 'plugin', 'check', 'gopher');
    assert.equal(checked.status, 0, checked.stderr);
    assert.match(checked.stdout, /^tls .* mutual, P-256$/m);
    assert.match(checked.stdout, /^info .* gopher 0\.1\.0$/m);
    assert.match(checked.stdout, /^operations .* 9 operations$/m);

    const call = (name, ...inputs) => awf(world, 'plugin', 'call', 'gopher', name, ...inputs.flatMap((text) => ['--input', text]));
    const answers = (done, answer) => assert.deepEqual([done.status, JSON.parse(done.stdout)], [0, answer], done.stderr);
    answers(call('echo', 'text=grüße "x"'), { output: 'grüße "x"' });
    answers(call('add', 'a=2', 'b=40'), { sum: 42 });
    answers(call('print', 'bytes=1000000'), { output: 'printed' });
    assert.deepEqual(fs.readdirSync(world.path('tmp')), [], 'no socket is left');

    const fails = (done, text) => {
      assert.equal(done.status, 3);
      assert.match(done.stderr, text);
    };
    const failed = call('fail', 'text=no luck');
    fails(failed, /^Details: no luck$/m);
    assert.deepEqual(JSON.parse(failed.stdout), { seen: 'no luck' });
    fails(call('panic', 'text=ouch'), /^Details: plugin panic: ouch$/m);
    fails(call('crash', 'text=too much'), /gopher: plugin process ended during the call \(exit status 2\); last stderr: .*panic: too much/s);
    fails(call('exit'), /gopher: plugin process ended during the call \(exit status 3\)/);
    await world.assertNothingLeft();
  });

  test(`a plugin on go-plugin ${version}: a run`, { skip: noGo }, async (t) => {
    const world = pluginWorld(t);
    addGopher(world, version);
    const run = await world.run(everyWay(world.path('mark')));
    assert.equal(run.code, 0, run.stdout + run.stderr);
    const { states } = JSON.parse(run.stdout);
    assert.deepEqual(states.add.Response, { sum: 42 });
    assert.equal(states.print.Output, 'printed');
    // The output of a step is bounded, as that of commands is; its size tells that all has arrived.
    assert.equal(states.big.Status, 'success');
    assert.match(states.big.Output, /^b{10000}/);
    assert.deepEqual([states.fail.Error, states.fail.Response], ['no luck', { seen: 'no luck' }]);
    assert.equal(states.panic.Error, 'plugin panic: ouch');
    assert.deepEqual([states.hang.Status, states.hang.Error], ['timeout', 'gopher: no answer within 1000 ms']);
    assert.match(states.crash.Error, /^gopher: plugin process ended during the call \(exit status 2\)/);
    assert.equal(states.after.Error, 'gopher: plugin not running (ended earlier: exit status 2)');
    assert.equal(fs.readFileSync(world.path('mark'), 'utf8'), 'ended', 'the plugin learns that nobody waits any more');
    const logged = run.log.filter((r) => r.message === 'plugin log' && r.plugin === 'gopher').map((r) => r.text);
    assert.ok(logged.includes(`out: ${'o'.repeat(1000)}`) && logged.includes(`err: ${'e'.repeat(1000)}`), logged.join('\n'));
    assert.deepEqual(run.audit.filter((r) => r.type.startsWith('plugin.')).map((r) => r.type), ['plugin.started', 'plugin.stopped']);
    await world.assertNothingLeft();
  });

  test(`a plugin on go-plugin ${version} does not outlive awf`, { skip: noGo }, async (t) => {
    const world = pluginWorld(t);
    addGopher(world, version);
    const workflow = { name: 'waits', states: {
      initial: 'hang', hang: operation('hang', { mark: world.path('mark') }, { on_success: 'done' }), done: { type: 'terminal' } } };
    const isGopher = ({ words }) => words[0].endsWith('awf-plugin-gopher');
    const run = await world.run(workflow, { onStart: async (child) => {
      assert.ok(await world.appears('mark', child));
      assert.equal(world.processes().filter(isGopher).length, 1);
      child.kill('SIGKILL');
    } });
    assert.equal(run.signal, 'SIGKILL');
    await until('the plugin is gone', () => world.processes().filter(isGopher).length === 0);
  });
}

// The plugins of awf in Go, should its module be there for all.
test('plugins of awf-project/cli under awf', { skip: noGo }, async (t) => {
  const world = pluginWorld(t);
  const env = toolEnvironment();
  const got = command(world, ['go', 'mod', 'download', '-json', 'github.com/awf-project/cli@latest'], { env });
  const { Dir: module, Error: reason } = JSON.parse(got.stdout || '{}');
  if (got.status !== 0) return t.skip((reason ?? got.stderr).trim().replace(/\s+/g, ' '));
  const all = path.join(module, 'examples', 'plugins');
  const folders = fs.existsSync(all) ? fs.readdirSync(all).filter((name) => fs.existsSync(path.join(all, name, 'plugin.yaml'))) : [];
  if (folders.length === 0) return t.skip('the module holds no plugins');
  for (const name of folders) {
    const target = world.path('ws', '.awf', 'plugins', name);
    fs.mkdirSync(target);
    fs.copyFileSync(path.join(all, name, 'plugin.yaml'), path.join(target, 'plugin.yaml'));
    const program = path.join(target, name.startsWith('awf-plugin-') ? name : `awf-plugin-${name}`);
    succeeds(world, ['go', 'build', '-C', path.join(all, name), '-o', program, '.'], { env });
    succeeds(world, [AWF, 'plugin', 'check', /^name: *(\S+)/m.exec(fs.readFileSync(path.join(target, 'plugin.yaml'), 'utf8'))[1]]);
  }
});

// ---- Plugins under go-plugin's host

function underGo(world, order) {
  return JSON.parse(succeeds(world, [path.join(PROGRAMS, 'host')], { input: JSON.stringify(order) }));
}

test('the C++ plugin under a Go host', { skip: noGo }, async (t) => {
  const world = pluginWorld(t);
  const report = underGo(world, { program: DEMO, config: {}, tls: true, calls: [
    { operation: 'echo', inputs: { text: 'grüße' } },
    { operation: 'add', inputs: { a: 2, b: 40 } },
    { operation: 'big', inputs: { bytes: 8 << 20 } },
    { operation: 'print', inputs: { bytes: 128 } },
    { operation: 'fail', inputs: { message: 'no luck' } },
    { operation: 'throw', inputs: {} },
  ] });
  assert.equal(report.protocol, 'grpc');
  assert.deepEqual(report.info, {
    name: 'demo', version: '0.1.0', description: 'Operations for awf\'s tests.', capabilities: ['operations'] });
  assert.deepEqual(report.operations.find((o) => o.name === 'add'), {
    name: 'add', description: 'Adds two integers.',
    inputs: [{ name: 'a', type: 'integer', required: true }, { name: 'b', type: 'integer', required: true }],
    outputs: [{ name: 'sum', type: 'integer', description: 'a + b' }] });
  const good = (output, data = {}) => ({ success: true, output, data, error: '' });
  const bad = (error) => ({ success: false, output: '', data: {}, error });
  assert.deepEqual(report.answers, [
    good('grüße'), good('', { sum: 42 }), good('b'.repeat(8 << 20)), good('printed'), bad('no luck'), bad('plugin panic: thrown by demo')]);
  assert.ok(report.stdout.startsWith(`${'o'.repeat(63)}\n`.repeat(2)), report.stdout);
  assert.deepEqual([report.ended, report.status], [true, 0]);
  await world.assertNothingLeft();
});

// ---- What `awf plugin init` writes

// The commands of its README: the indented lines of the first block.
function buildCommands(readme) {
  const block = /\n\n((?: {4}.*\n)+)/.exec(readme)[1];
  return block.trimEnd().split('\n').map((line) => line.trim());
}

function available(...words) {
  return spawnSync(words[0], words.slice(1), { stdio: 'ignore' }).status === 0;
}
const noPython = available('python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))') ? false
  : 'Python 3.10 with venv is not installed';

// `print` makes the operation print, before anything is built.
const SCAFFOLDS = [
  { language: 'cpp', skip: false, tls: true, source: 'plugin.cc', unknown: 'unknown operation "nothing"', print: [
    ['#include <string>\n', '#include <iostream>\n#include <string>\n'], ['    const std::string text', '    std::cout << "greeting now" << std::endl;\n    const std::string text']] },
  { language: 'go', skip: noGo, tls: true, source: 'main.go', print: [
    ['"errors"\n', '"errors"\n\t"fmt"\n'], ['\t\ttext := ', '\t\tfmt.Println("greeting now")\n\t\ttext := ']] },
  // grpcio's TLS takes no P-521 certificate, which go-plugin's is: without TLS under a Go host
  { language: 'python', skip: noPython, tls: false, source: 'plugin.py', print: [['    text = ', '    print("greeting now")\n    text = ']] },
  { language: 'node', skip: false, tls: true, source: 'plugin.mjs', print: [['  const text', '  console.log(\'greeting now\');\n  const text']] },
];

// Package managers keep what they have fetched, and their settings, in the user's real home.
function toolEnvironment() {
  const env = {
    CMAKE_PREFIX_PATH: process.env.AWF_SDK_PREFIX, HOME: process.env.HOME, GOTOOLCHAIN: 'local', GOTELEMETRY: 'off', GOFLAGS: '-trimpath -buildvcs=false',
    npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false',
  };
  for (const [name, value] of Object.entries(process.env))
    if (/^(pip_|npm_config_|go|https?_proxy|no_proxy|ssl_cert|node_extra_ca|pyenv)/i.test(name)) env[name] ??= value;
  return env;
}

const FETCHES = /pip install|npm install|go mod/;
const NOT_TO_BE_HAD = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|E40[34]|No matching distribution|NewConnectionError|dial tcp|40[34] /; // in one line of what they say
const reasonOf = ({ stdout, stderr }) => (stderr + stdout).split('\n').find((line) => NOT_TO_BE_HAD.test(line));

function edit(file, changes) {
  let text = fs.readFileSync(file, 'utf8');
  for (const [old, now] of changes) {
    assert.equal(text.split(old).length, 2, `${file} has once: ${old}`);
    text = text.replace(old, now);
  }
  fs.writeFileSync(file, text);
}

for (const { language, skip, tls, source, print, unknown = 'unknown operation nothing' } of SCAFFOLDS) {
  test(`awf plugin init --lang ${language}: built, tested and tried by its README`, { skip }, async (t) => {
    const world = pluginWorld(t);
    const name = `my-${language}`;
    const folder = `.awf/plugins/awf-plugin-${name}`;
    succeeds(world, [AWF, 'plugin', 'init', name, '--lang', language], { folder: '.awf/plugins' });
    edit(world.path('ws', folder, source), print);
    const readme = fs.readFileSync(world.path('ws', folder, 'README.md'), 'utf8');
    for (const line of buildCommands(readme)) {
      const done = command(world, ['sh', '-c', line], { folder, env: toolEnvironment() });
      if (done.status !== 0 && FETCHES.test(line) && reasonOf(done))
        return t.skip(`${line}: ${reasonOf(done)}`);
      assert.equal(done.status, 0, `${line}\n${done.stdout}${done.stderr}`);
    }
    assert.match(succeeds(world, ['test/run.sh'], { folder }), /^ok$/m);
    assert.match(succeeds(world, [AWF, 'plugin', 'check', name]), /^tls .* mutual, P-256$/m);
    const called = awf(world, 'plugin', 'call', name, 'greet', '--input', 'who=wörld');
    assert.deepEqual(JSON.parse(called.stdout), { output: 'Hello, wörld!', text: 'Hello, wörld!' }, called.stderr);
    const run = succeeds(world, [AWF, 'run', `${folder}/workflow.yaml`, '-i', 'who=you', '--storage', world.path('storage'),
      '--trace-file', '-f', 'json']);
    assert.deepEqual(JSON.parse(run).states.greet.Response, { text: 'Hello, you!' });
    assert.ok(world.records().log.some((r) => r.message === 'plugin log' && r.plugin === name && r.text === 'greeting now'));

    // The configuration reaches it, and what it refuses is told.
    const configure = (greeting) => world.write('ws/.awf/plugins.yaml', `plugins:\n  ${name}:\n    config: {greeting: "${greeting}"}\n`);
    configure('Good day');
    assert.equal(JSON.parse(awf(world, 'plugin', 'call', name, 'greet', '--input', 'who=you').stdout).text, 'Good day, you!');
    configure('');
    const refused = awf(world, 'plugin', 'check', name);
    assert.equal(refused.status, 3);
    assert.match(refused.stdout + refused.stderr, /greeting must not be empty/);
    await world.assertNothingLeft();

    if (noGo) return t.diagnostic(`not tried under a Go host: ${noGo}`);
    const report = underGo(world, { program: world.path('ws', folder, `awf-plugin-${name}`), config: { greeting: 'Hi' }, tls,
      calls: [{ operation: 'greet', inputs: { who: 'you' } }, { operation: 'nothing', inputs: {} }] });
    assert.deepEqual(report, {
      protocol: 'grpc',
      info: { name, version: '0.1.0', description: 'what it does, in one line', capabilities: ['operations'] },
      operations: [{ name: 'greet', description: 'Greets somebody.',
        inputs: [{ name: 'who', type: 'string', required: true, description: 'Whom to greet.' }],
        outputs: [{ name: 'text', type: 'string', description: 'The greeting.' }] }],
      answers: [{ success: true, output: 'Hi, you!', data: { text: 'Hi, you!' }, error: '' },
        { success: false, output: '', data: {}, error: unknown }],
      stdout: 'greeting now\n', ended: true, status: 0 });
    await world.assertNothingLeft();
  });
}

// ---- The example in Go

test('the example go-outline', { skip: noGo }, async (t) => {
  const world = pluginWorld(t);
  const folder = '.awf/plugins/awf-plugin-go-outline';
  fs.cpSync(fileURLToPath(new URL('../../examples/plugins/go-outline', import.meta.url)), world.path('ws', folder), { recursive: true, dereference: true });
  const env = toolEnvironment();
  const tidy = command(world, ['go', 'mod', 'tidy'], { folder, env });
  if (tidy.status !== 0 && reasonOf(tidy)) return t.skip(reasonOf(tidy));
  assert.equal(tidy.status, 0, tidy.stderr);
  succeeds(world, ['go', 'build'], { folder, env });
  world.write('ws/lib/a.go', 'package lib\n\n// Size says how big.\ntype Size int\n\nfunc (s Size) Double() Size { return s * 2 }\n\nfunc hidden(n int) {}\n');
  const call = (...inputs) => awf(world, 'plugin', 'call', 'go-outline', 'outline', ...inputs.flatMap((text) => ['--input', text]));
  assert.deepEqual(JSON.parse(call('path=lib/a.go').stdout), { package: 'lib', declarations: [
    { line: 4, kind: 'type', name: 'Size', text: 'type Size int', doc: 'Size says how big.' },
    { line: 6, kind: 'method', name: 'Size.Double', text: 'func (s Size) Double() Size' },
    { line: 8, kind: 'func', name: 'hidden', text: 'func hidden(n int)' },
  ] });
  assert.deepEqual(JSON.parse(call('path=lib/a.go', 'exported=true').stdout).declarations.map((d) => d.name), ['Size', 'Size.Double']);
  const failed = call('path=lib/none.go');
  assert.equal(failed.status, 3);
  assert.match(failed.stderr, /^Details: open lib\/none\.go: no such file or directory$/m);
});
