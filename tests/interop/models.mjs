// Starts a scripted model (models/FORMAT.mjs) with a scenario of providers/README.md, whatever the wire format.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

// A line that was being written when its writer died is left out.
export function jsonLines(file) {
  if (!fs.existsSync(file)) return [];
  return fs.readFileSync(file, 'utf8').split('\n').slice(0, -1).filter(Boolean).map((line) => JSON.parse(line));
}

// Anthropic and Gemini: the turn is chosen by the conversation in the request.
const conversing = (turn, call) => ({
  ...turn, ...(turn.tools ? { tools: turn.tools.map((t) => ({ ...t, ...(t.native ? {} : call(t.name)) })) } : {}),
});
// OpenAI: turns are used up in order.
function consumed(turn, call) {
  if (turn.error) return { status: turn.error.status, stays: true };
  const calls = (turn.tools ?? []).map((t) => (t.native ? t : { ...call(t.name), input: t.input }));
  return {
    ...(turn.text !== undefined ? { text: turn.text } : {}), ...(turn.delay_ms ? { delayMs: turn.delay_ms } : {}),
    ...(calls.length ? { calls: calls.filter((c) => c.custom === undefined).map(({ name, namespace, input }) => ({ name, namespace, arguments: input })),
      custom: calls.filter((c) => c.custom !== undefined).map(({ name, custom }) => ({ name, input: custom })) } : {}),
  };
}

const names = (tools, prefix = '') => tools.flatMap((t) => (t.tools ? names(t.tools, `${t.name}.`) : [prefix + (t.function?.name ?? t.name ?? t.type)]));

const FORMATS = {
  anthropic: { translate: conversing, asks: (r) => r.url?.startsWith('/v1/messages') && r.body?.messages && !r.url.includes('count_tokens'),
    offered: (r) => r.offered },
  gemini: { translate: conversing, asks: (r) => /[gG]enerateContent/.test(r.url) && r.body?.contents, offered: (r) => r.offered },
  'openai-chat': { translate: consumed, asks: (r) => r.body?.messages, offered: (r) => names(r.body.tools ?? []) },
  'openai-responses': { translate: consumed, asks: (r) => r.method === 'POST' && r.url.split('?')[0].endsWith('/responses') && r.body,
    offered: (r) => names(r.body.tools ?? []) },
};

export async function startModel(world, t, format, scenario, { shown = (name) => name, call = (tool) => ({ name: shown(tool) }) } = {}) {
  const { translate, asks, offered } = FORMATS[format];
  const turns = (list) => list.map((turn) => translate(turn, call));
  const script = { ...scenario, turns: turns(scenario.turns ?? []),
    groups: (scenario.groups ?? []).map(({ match, turns: list }) => ({ match, turns: turns(list) })) };
  const log = world.path('requests.jsonl');
  const file = world.write('scenario.json', JSON.stringify(script));
  const words = [path.join(here, 'models', `${format}.mjs`), '--scenario', file, '--log', log];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => { const found = /"port":(\d+)|listening (\d+)/.exec(String(data)); if (found) resolve(found[1] ?? found[2]); });
    child.on('exit', () => reject(new Error('the scripted model ended')));
  });
  t.after(() => child.kill('SIGTERM'));
  return {
    url: `http://127.0.0.1:${port}`,
    records: () => jsonLines(log),
    requests: () => jsonLines(log).filter((r) => asks(r)).map((r) => ({ offered: offered(r), text: JSON.stringify(r.body), body: r.body })),
  };
}
