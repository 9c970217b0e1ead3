// The table check × CLI in docs/providers.md: read, merged with what a run found, compared, written.
import fs from 'node:fs';

const BEGIN = '<!-- provider matrix: written by make provider-matrix -->';
const END = '<!-- end of the provider matrix -->';

// Cells of a column by the name of their row: {"claude 2.1.332": {"title of a check": "yes"}}, with the notes in full.
export function parse(page) {
  const text = between(page);
  const notes = new Map([...text.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, note]) => [number, note]));
  const [head, , ...rows] = text.split('\n').filter((line) => line.startsWith('|')).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
  const columns = {};
  for (const [title, ...cells] of rows ?? []) {
    cells.forEach((cell, i) => {
      const noted = /^(.*) \((\d+)\)$/.exec(cell);
      (columns[head[i + 1]] ??= {})[title] = noted ? `${noted[1]}: ${notes.get(noted[2])}` : cell;
    });
  }
  return columns;
}

function between(page) {
  const start = page.indexOf(BEGIN), end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error('docs/providers.md has no place for the matrix');
  return page.slice(start + BEGIN.length, end);
}

// `titles` sets the rows; columns are sorted by name, versions of one CLI with the newest first.
export function render(page, columns, titles) {
  between(page);
  const names = Object.keys(columns).sort((a, b) => {
    const [[nameA, versionA], [nameB, versionB]] = [a.split(' '), b.split(' ')];
    return nameA.localeCompare(nameB) || versionB.localeCompare(versionA, undefined, { numeric: true });
  });
  const notes = [];
  const shown = (cell) => {
    const [, word, note] = /^([^:]*): (.*)$/.exec(cell) ?? [];
    if (!note) return cell;
    if (!notes.includes(note)) notes.push(note);
    return `${word} (${notes.indexOf(note) + 1})`;
  };
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const rows = titles.map((title) => row([title, ...names.map((name) => shown(columns[name][title] ?? 'not run'))]));
  const table = [row(['', ...names]), `|${'---|'.repeat(names.length + 1)}`, ...rows,
    ...(notes.length > 0 ? ['', ...notes.map((note, i) => `${i + 1}. ${note}`)] : [])].join('\n');
  return `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n${table}\n${page.slice(page.indexOf(END))}`;
}

// What the run found stands over what stood there; a CLI in another version takes the place of those that were not run.
export function merge(written, found) {
  const product = (column) => column.split(' ')[0];
  const kept = Object.entries(written).filter(([column]) => column in found || !Object.keys(found).some((other) => product(other) === product(column)));
  const columns = Object.fromEntries(kept);
  for (const [column, cells] of Object.entries(found)) columns[column] = { ...columns[column], ...cells };
  return columns;
}

// Lines that tell where the page and the run differ, of what was run.
export function differences(written, found) {
  return Object.entries(found).flatMap(([column, cells]) => Object.entries(cells)
    .filter(([title, cell]) => written[column]?.[title] !== cell)
    .map(([title, cell]) => `${title}, ${column}: the page says ${written[column]?.[title] ?? 'nothing'}, the run ${cell}`));
}

export const read = (file) => fs.readFileSync(file, 'utf8');
export const write = (file, page) => fs.writeFileSync(file, page);
