// Every check of checks.mjs with every real agent CLI that has a descriptor in providers/ (see its README.md) and is installed. The results are held
// against the table in docs/providers.md, which AWF_INTEROP_WRITE=1 rewrites.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKS, Skip } from './checks.mjs';
import * as matrix from './matrix.mjs';
import { World } from './support.mjs';

const { AWF_INTEROP_PROVIDER: onlyProvider, AWF_INTEROP_CHECK: onlyCheck, AWF_INTEROP_LONG: long, AWF_INTEROP_WRITE: writes } = process.env;
const here = path.dirname(fileURLToPath(import.meta.url));
const page = path.join(here, '../../docs/providers.md');

const descriptors = [];
for (const file of fs.readdirSync(path.join(here, 'providers')).filter((name) => name.endsWith('.mjs')).sort())
  descriptors.push(...[(await import(`./providers/${file}`)).default].flat());

test('descriptors have what providers/README.md asks for, and nothing else', () => {
  const needed = ['name', 'program', 'package', 'version', 'bin', 'level', 'shown', 'start', 'native', 'natives', 'hostile'];
  const more = ['extras', 'offers', 'heavy', 'state', 'rewrites', 'restarts', 'callIds', 'refusals', 'missing', 'slow', 'unsupported', 'additive'];
  for (const d of descriptors) {
    assert.deepEqual(needed.filter((key) => d[key] === undefined), [], `${d.name} lacks`);
    assert.deepEqual(Object.keys(d).filter((key) => ![...needed, ...more, 'models'].includes(key)), [], `unknown in ${d.name}`);
    assert.equal(path.basename(d.bin), d.program);
    const checks = [...Object.keys(d.slow ?? {}), ...Object.keys(d.unsupported ?? {})];
    assert.deepEqual(checks.filter((name) => !CHECKS.some((check) => check.name === name)), [], `no such check, in ${d.name}`);
  }
});

descriptors.sort((a, b) => Number(b.heavy ?? false) - Number(a.heavy ?? false));

const found = {}; // column → title → cell
const note = (d, check, cell) => { (found[`${d.name} ${d.version}`] ??= {})[check.title] = cell; };

async function runCheck(d, check, t) {
  const worlds = [];
  const world = () => { const one = new World(t); worlds.push(one); return one; };
  try {
    note(d, check, (await check.run(d, { world, t })) ?? 'yes');
  } catch (error) {
    if (error instanceof Skip) return t.skip(error.message);
    note(d, check, 'no');
    for (const one of worlds) one.failed = true;
    if (process.env.AWF_INTEROP_KEEP) t.diagnostic(`kept: ${worlds.map((one) => one.base).join(' ')}`);
    throw error;
  }
}

describe('agent CLIs', { concurrency: 2 }, () => {
  for (const d of descriptors.filter(({ name }) => !onlyProvider || name === onlyProvider)) {
    describe(`${d.name} ${d.version}`, () => {
      if (!fs.existsSync(d.bin)) return test('is installed', { skip: d.missing ?? `${d.program} is not installed` }, () => {});
      for (const check of CHECKS.filter(({ name }) => !onlyCheck || name === onlyCheck)) {
        const reason = d.unsupported?.[check.name];
        const slow = !long && d.slow?.[check.name];
        if (reason) note(d, check, `no: ${reason}`);
        test(check.name, { skip: reason ?? (slow ? `AWF_INTEROP_LONG=1 runs it: ${slow}` : false) }, (t) => runCheck(d, check, t));
      }
    });
  }
});

test('docs/providers.md says what this run has found', { skip: onlyProvider || onlyCheck ? 'only a part was run' : false }, () => {
  const text = matrix.read(page);
  if (writes) return matrix.write(page, matrix.render(text, matrix.merge(matrix.parse(text), found), CHECKS.map(({ title }) => title)));
  const lines = matrix.differences(matrix.parse(text), found);
  if (lines.length > 0) assert.fail(`docs/providers.md is not up to date; make provider-matrix writes it:\n${lines.join('\n')}`);
});
