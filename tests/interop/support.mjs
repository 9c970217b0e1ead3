// Shared by the interop tests: a scratch world per test (home, workspace, storage), a scripted model beside it, and
// `awf run` on a workflow text. Everything is removed at the end; whatever is still running then fails the test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLines, startModel } from './models.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const AWF = process.env.AWF;
export const MODULES = process.env.AWF_INTEROP_MODULES;
export const OLDER = process.env.AWF_INTEROP_OLDER;
assert.ok(AWF && MODULES, 'start these tests with tests/interop/run');

export const TOOLS = ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write'];

// A folder with everything that a run may touch. `env` is what awf gets: nothing of the machine's own configuration.
export class World {
  children = new Set();
  constructor(t) {
    this.base = fs.mkdtempSync(path.join('/var/tmp', 'awf-interop-'));
    for (const name of ['home', 'ws', 'storage', 'run', 'bin', 'tmp']) fs.mkdirSync(path.join(this.base, name), { mode: 0o700 });
    this.env = {
      PATH: `${this.path('bin')}:${path.join(MODULES, '.bin')}:${process.env.PATH}`,
      HOME: this.path('home'), XDG_RUNTIME_DIR: this.path('run'), TMPDIR: this.path('tmp'), LANG: 'C.UTF-8',
    };
    t.after(() => this.end());
  }
  // A check that failed may have left its run going.
  async end() {
    const running = [...this.children];
    for (const child of running) child.kill('SIGKILL');
    for (let i = 0; i < 200 && running.length > 0 && this.processes().length > 0; ++i) await sleep(50);
    if (!(process.env.AWF_INTEROP_KEEP && this.failed)) fs.rmSync(this.base, { recursive: true, force: true, maxRetries: 5 });
  }
  path(...parts) { return path.join(this.base, ...parts); }
  write(name, text, mode) {
    const file = this.path(name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, mode ? { mode } : {});
    return file;
  }

  // Starts the scripted Anthropic endpoint for Claude Code.
  async model(t, scenario) {
    const model = await startModel(this, t, 'anthropic', scenario);
    Object.assign(this.env, { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'dummy-key-for-tests' });
    return model;
  }
  // Has the folder of this program searched first, after the world's own.
  prefer(program) { this.env.PATH = [this.path('bin'), path.dirname(program), process.env.PATH].join(':'); }

  // Runs `awf run` on the workflow, a text or an object; resolves with exit code, output and the records of the run.
  run(workflow, { args = [], env = {}, onStart } = {}) {
    const file = this.write('workflow.yaml', typeof workflow === 'string' ? workflow : JSON.stringify(workflow, null, 2));
    const child = spawn(AWF, ['run', file, '--storage', this.path('storage'), '--trace-file', '-f', 'json', ...args],
      { cwd: this.path('ws'), env: { ...this.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '', stderr = '';
    child.stdout.on('data', (data) => { stdout += data; });
    child.stderr.on('data', (data) => { stderr += data; });
    this.children.add(child);
    const ended = new Promise((resolve) => child.on('close', (code, signal) => {
      this.children.delete(child);
      resolve({ code, signal, stdout, stderr, ...this.records() });
    }));
    return Promise.all([ended, onStart?.(child)]).then(([run]) => run);
  }
  records() {
    const runs = this.path('storage', 'runs');
    const folder = fs.existsSync(runs) ? path.join(runs, fs.readdirSync(runs).sort().at(-1)) : null;
    if (!folder) return { log: [], audit: [], spans: [] };
    const spans = jsonLines(path.join(folder, 'trace.json'))
      .flatMap((line) => line.resourceSpans).flatMap((r) => r.scopeSpans).flatMap((s) => s.spans);
    return { folder, log: jsonLines(path.join(folder, 'log.jsonl')), audit: jsonLines(path.join(folder, 'audit.jsonl')), spans };
  }
  // Processes that know of this world, but for the scripted model.
  processes() {
    const knows = ({ words, environment, cwd }) => [words.join(' '), environment, cwd].some((text) => text.includes(this.base));
    return allProcesses().filter((p) => knows(p) && !p.words[1]?.startsWith(path.join(here, 'models')));
  }
  privateFolders() {
    const folder = this.path('run', 'awf');
    return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  }
  // No private step folder and no process but the scripted model may be left, at once or after `patience` ms.
  async assertNothingLeft(patience = 0) {
    const end = Date.now() + patience;
    while (Date.now() < end && (this.processes().length > 0 || this.privateFolders().length > 0)) await sleep(50);
    assert.deepEqual(this.privateFolders(), [], 'private folders are left');
    assert.deepEqual(this.processes().map(({ pid, words }) => `${pid} ${words.join(' ')}`), [], 'processes are left');
  }
  // Waits until the file is there; false when the child ends before.
  async appears(name, child) {
    while (!fs.existsSync(this.path(name))) {
      if (child.exitCode !== null || child.signalCode !== null) return false;
      await sleep(20);
    }
    return true;
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

const pids = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
const wordsOf = (pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');

// Every process that this user may look at and that has a command line.
export function allProcesses() {
  const found = [];
  for (const pid of pids()) {
    const read = (name) => fs.readFileSync(`/proc/${pid}/${name}`, 'utf8');
    try {
      const [state, parent] = read('stat').replace(/^.*\) /s, '').split(' ');
      const words = wordsOf(pid);
      if (state === 'Z' || words.length < 2) continue;
      found.push({ pid, parent: Number(parent), words, environment: read('environ'), cwd: fs.readlinkSync(`/proc/${pid}/cwd`) });
    } catch { /* ended meanwhile, or another user's */ }
  }
  return found;
}

// Command lines that hold `text`.
export function commandLinesWith(text) {
  const lines = [];
  for (const pid of pids()) {
    try {
      const line = wordsOf(pid).join(' ');
      if (line.includes(text)) lines.push(line);
    } catch { /* ended meanwhile */ }
  }
  return lines;
}

// Who is who below awf, by parentage: awf → keeper → launchers → CLI → mcp-serve.
export function rolesBelow(awf) {
  const all = allProcesses();
  const isBelow = (p) => { for (let at = p; at; at = all.find((q) => q.pid === at.parent)) if (at.parent === awf) return true; return false; };
  const below = all.filter(isBelow);
  const keeper = below.find((p) => p.parent === awf && p.words[1] === 'keeper');
  const server = below.find((p) => p.words[1] === 'mcp-serve');
  const chain = [];
  for (let at = below.find((p) => p.pid === server?.parent); at && at.pid !== keeper?.pid; at = below.find((p) => p.pid === at.parent)) chain.unshift(at);
  return { keeper: keeper?.pid, server: server?.pid, cli: chain.at(-1)?.pid, launcher: chain.length > 1 ? chain[0].pid : undefined };
}

// What lies below a folder: path → what it is, and what is in it.
export function treeOf(root) {
  const tree = new Map();
  for (const entry of fs.readdirSync(root, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.path, entry.name);
    const what = entry.isFile() ? createHash('sha256').update(fs.readFileSync(file)).digest('hex')
      : entry.isSymbolicLink() ? `-> ${fs.readlinkSync(file)}` : entry.isDirectory() ? 'folder' : 'other';
    tree.set(path.relative(root, file), what);
  }
  return tree;
}
