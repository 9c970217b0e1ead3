// Lets an agent review a small change of the demo project by examples/workflows/review-changes.yaml, in a scratch repository, and checks that every tool
// call was seen. The verdict itself is the model's affair. Exit code: 0 all held, 1 something did not.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLines } from './models.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const awf = process.env.AWF ?? path.join(root, 'build/release/awf');
const provider = process.argv[2];
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'awf-live-'));
const project = path.join(scratch, 'project'), storage = path.join(scratch, 'storage');

function git(...words) {
  const settings = ['-c', 'user.name=awf', '-c', 'user.email=awf@localhost', '-c', 'commit.gpgsign=false'];
  const done = spawnSync('git', [...settings, ...words], { cwd: project, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`git ${words[0]}: ${done.stderr}`);
  return done.stdout;
}

const changes = () => git('status', '--porcelain') + git('diff');

// The project as it should be, and beside it a change that breaks what its README says.
function plantChange() {
  fs.cpSync(path.join(root, 'examples/demo-project'), project, { recursive: true });
  const file = path.join(project, 'lib/price.sh');
  const broken = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, broken.replace('-gt 10', '-ge 10'));
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'Bakery');
  fs.writeFileSync(file, broken);
}

function runReview() {
  const words = ['run', path.join(root, 'examples/workflows/review-changes.yaml'), '--storage', storage, '--trace-file', '--no-input', '-f', 'json',
    '-i', `provider=${provider}`, '-i', `project=${project}`];
  const done = spawnSync(awf, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26 });
  const runs = path.join(storage, 'runs');
  if (!fs.existsSync(runs)) throw new Error(`awf run ended with ${done.status ?? done.signal} and left no run`);
  const folder = path.join(runs, fs.readdirSync(runs)[0]);
  const spans = jsonLines(path.join(folder, 'trace.json')).flatMap((line) => line.resourceSpans).flatMap((r) => r.scopeSpans).flatMap((s) => s.spans);
  return {
    result: JSON.parse(done.stdout), folder, spans,
    log: jsonLines(path.join(folder, 'log.jsonl')), audit: jsonLines(path.join(folder, 'audit.jsonl')),
  };
}

// What must hold, whatever the model says: [text, whether it does].
function judge({ result, folder, log, audit, spans }, changesBefore) {
  const review = result.states?.review ?? {};
  const calls = audit.filter((r) => r.type === 'tool.call');
  const level = audit.filter((r) => r.type === 'isolation').at(-1);
  const verified = spawnSync(awf, ['audit', 'verify', folder], { encoding: 'utf8' });
  for (const { tool, outcome, duration_ms: ms } of calls) console.log(`  ${tool} ${outcome}${ms === undefined ? '' : ` ${ms} ms`}`);
  console.log(`  isolation: ${level?.level ?? 'unknown'}; tokens: ${review.TokensUsed ?? 0}; verdict: ${review.JSON?.summary ?? 'none'}`);
  for (const blocker of review.JSON?.blockers ?? []) console.log(`  - ${blocker}`);
  const ids = (records) => records.map((r) => r.call).sort().join();
  return [
    ['the agent gave a verdict', review.Status === 'success'],
    ['a tool call was seen', calls.some((r) => r.outcome === 'ok')],
    ['each call has a log line', ids(log.filter((r) => r.message === 'tool call')) === ids(calls)],
    ['each call has a span', spans.filter((s) => s.name.startsWith('tool.call: ')).length === calls.length],
    ['no native tool acted', !audit.some((r) => r.type === 'bypass')],
    ['the audit verifies', verified.status === 0],
    ['the review changed nothing', changes() === changesBefore],
  ];
}

let failed = true;
try {
  plantChange();
  const before = changes();
  const checks = judge(runReview(), before);
  for (const [text, holds] of checks) console.log(`${holds ? 'ok' : 'FAILED'}: ${text}`);
  failed = checks.some(([, holds]) => !holds);
} catch (error) {
  console.log(`FAILED: ${error.message}`);
}
if (failed) console.log(`everything is kept in ${scratch}`);
else fs.rmSync(scratch, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
