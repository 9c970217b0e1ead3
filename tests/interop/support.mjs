// Shared by the interop tests: a scratch world per test (home, workspace, storage), a scripted model beside it, and
// `awf run` on a workflow text. Everything is removed at the end; whatever is still running then fails the test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
export const AWF = process.env.AWF;
export const MODULES = process.env.AWF_INTEROP_MODULES;
assert.ok(AWF && MODULES, 'start these tests with tests/interop/run');

export const TOOLS = ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write'];

export function jsonLines(file) {
  if (!fs.existsSync(file)) return [];
  return fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

// A folder with everything that a run may touch. `env` is what awf gets: nothing of the machine's own configuration.
export class World {
  constructor(t) {
    this.base = fs.mkdtempSync(path.join('/var/tmp', 'awf-interop-'));
    for (const name of ['home', 'ws', 'storage', 'run', 'bin', 'tmp']) fs.mkdirSync(path.join(this.base, name), { mode: 0o700 });
    this.env = {
      PATH: `${this.path('bin')}:${path.join(MODULES, '.bin')}:${process.env.PATH}`,
      HOME: this.path('home'), XDG_RUNTIME_DIR: this.path('run'), TMPDIR: this.path('tmp'), LANG: 'C.UTF-8',
      ANTHROPIC_API_KEY: 'dummy-key-for-tests',
    };
    t.after(() => fs.rmSync(this.base, { recursive: true, force: true }));
  }
  path(...parts) { return path.join(this.base, ...parts); }
  write(name, text, mode) {
    const file = this.path(name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, mode ? { mode } : {});
    return file;
  }

  // Starts the scripted Anthropic endpoint; `requests()` gives what it was asked.
  async model(t, scenario) {
    const log = this.path('requests.jsonl');
    const scenarioFile = this.write('scenario.json', JSON.stringify(scenario));
    const child = spawn(process.execPath, [path.join(here, 'models', 'anthropic.mjs'), '--scenario', scenarioFile, '--log', log],
      { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = await new Promise((resolve, reject) => {
      child.stdout.on('data', (data) => resolve(JSON.parse(String(data)).port));
      child.on('exit', () => reject(new Error('the scripted model ended')));
    });
    t.after(() => child.kill('SIGTERM'));
    this.env.ANTHROPIC_BASE_URL = `http://127.0.0.1:${port}`;
    return { requests: () => jsonLines(log).filter((r) => r.body?.messages && r.url.startsWith('/v1/messages')) };
  }

  // Runs `awf run` on the workflow; resolves with exit code, output and the records of the run.
  run(workflow, { args = [], env = {}, onStart } = {}) {
    const file = this.write('workflow.yaml', workflow);
    const child = spawn(AWF, ['run', file, '--storage', this.path('storage'), '--trace-file', '-f', 'json', ...args],
      { cwd: this.path('ws'), env: { ...this.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '', stderr = '';
    child.stdout.on('data', (data) => { stdout += data; });
    child.stderr.on('data', (data) => { stderr += data; });
    onStart?.(child);
    return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr, ...this.records() })));
  }
  records() {
    const runs = this.path('storage', 'runs');
    const folder = fs.existsSync(runs) ? path.join(runs, fs.readdirSync(runs).sort().at(-1)) : null;
    if (!folder) return { log: [], audit: [], spans: [] };
    const spans = jsonLines(path.join(folder, 'trace.json'))
      .flatMap((line) => line.resourceSpans).flatMap((r) => r.scopeSpans).flatMap((s) => s.spans);
    return { folder, log: jsonLines(path.join(folder, 'log.jsonl')), audit: jsonLines(path.join(folder, 'audit.jsonl')), spans };
  }
  // No private step folder and no process but the scripted model may be left.
  assertNothingLeft() {
    const folder = this.path('run', 'awf');
    assert.deepEqual(fs.existsSync(folder) ? fs.readdirSync(folder) : [], []);
    const left = processesWith(this.base).filter(({ words }) => !words[1]?.endsWith('anthropic.mjs'));
    assert.deepEqual(left.map(({ words }) => words.join(' ')), []);
  }
}

export const toolCallsOf = (run) => ({
  log: run.log.filter((r) => r.message === 'tool call'),
  audit: run.audit.filter((r) => r.type === 'tool.call'),
  spans: run.spans.filter((s) => s.name.startsWith('tool.call: ')),
});

export const attributes = (span) => Object.fromEntries(span.attributes.map(({ key, value }) =>
  [key, value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue)]));

// One agent step `work` with the proxy, then a success terminal.
export const agentWorkflow = (proxy = '', more = '') => `
name: interop
states:
  initial: work
  work:
    type: agent
    provider: claude
    prompt: Do the work.
    timeout: 2m
    mcp_proxy:
      enable: true
${proxy}
    on_success: done
${more}
  done:
    type: terminal
`;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Processes whose command line holds `text`.
export function processesWith(text) {
  const found = [];
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (words.join(' ').includes(text)) found.push({ pid: Number(pid), words });
    } catch { /* ended meanwhile */ }
  }
  return found;
}
