// Provides the documents of the project (docs/*.md) as modules. Each is turned into HTML when the
// pages are built, so that nothing has to be parsed or trusted at run time.
//
//   import documents from 'virtual:documents'
//   { "writing-bots": { title, summary, contents, load: () => import(...) }, "rules/aliens": ... }
//
// README.md is a list of the documents for readers of the repository, and is left out.
//
// Links between documents become links between pages; links to other files of the project become
// the names of these files. Pictures (PNG files) are copied into the pages. HTML in a document is
// escaped.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

import { Marked } from 'marked';

const INDEX = 'virtual:documents';
const ONE = 'virtual:document/';

const escape = (text) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign],
  );

function slug(text) {
  return text
    .toLowerCase()
    .replace(/<[^>]*>|&[a-z]+;/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/**
 * The target of a link in the document `name`: an address of the pages, or null for a file that the
 * pages do not show.
 */
function address(name, href, known) {
  if (/^https?:/.test(href)) return href;
  if (href.startsWith('#')) return href;
  const [path, hash] = href.split('#');
  const found = normalize(join(dirname(name), path)).replace(/\.md$/, '');
  return known.has(found) ? `/docs/${found}${hash ? '#' + hash : ''}` : null;
}

/** Width and height of a PNG file, from its header; the page reserves this space for it. */
function pictureSize(file) {
  const bytes = readFileSync(file);
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error(`${file} is not a PNG file`);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** A placeholder in the HTML for the address that picture `i` gets when the pages are built. */
const pictureMark = (i) => `picture:${i}:`;

/** The document as HTML, its headings, and the files of its pictures. */
function render(root, name, text, known) {
  const contents = [];
  const pictures = [];
  const marked = new Marked({
    renderer: {
      html: ({ text }) => (text.startsWith('<!--') ? '' : escape(text)),
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const id = slug(inner);
        if (depth === 2) contents.push({ id, text: inner.replace(/<[^>]*>/g, '') });
        return `<h${depth} id="${id}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const to = address(name, href, known);
        return to ? `<a href="${escape(to)}">${inner}</a>` : `<code>${inner}</code>`;
      },
      image({ href, text }) {
        const file = join(root, dirname(name), href);
        const [width, height] = pictureSize(file);
        const mark = pictureMark(pictures.push(file) - 1);
        const size = `width="${width}" height="${height}"`;
        return `<img src="${mark}" alt="${escape(text)}" ${size} loading="lazy">`;
      },
      // Diagrams are for readers of the repository: the pages cannot draw them.
      code: ({ text, lang }) =>
        lang === 'mermaid' ? '' : `<pre tabindex="0"><code>${escape(text)}</code></pre>\n`,
    },
  });
  const html = marked
    .parse(text)
    .replace(/<table>/g, '<div class="scroll" tabindex="0"><table>')
    .replace(/<\/table>/g, '</table></div>');
  return { html, contents, pictures };
}

export function documents(folder) {
  const root = resolve(folder);
  const names = ['', 'rules', 'tutorials'].flatMap((part) =>
    readdirSync(join(root, part))
      .filter((file) => file.endsWith('.md') && file !== 'README.md')
      .map((file) => (part ? part + '/' : '') + file.slice(0, -3)),
  );
  const known = new Set(names);
  const source = (name) => readFileSync(join(root, name + '.md'), 'utf8');

  return {
    name: 'documents',
    resolveId: (id) => (id === INDEX || id.startsWith(ONE) ? '\0' + id : undefined),
    load(id) {
      if (id === '\0' + INDEX) {
        const entries = names.map((name) => {
          const [, title, rest = ''] = /^# (.*)\n+([\s\S]*)/.exec(source(name)) ?? [null, name];
          const paragraph = rest.split(/\n\s*\n/).find((block) => /^[A-Za-z`*[]/.test(block)) ?? '';
          const summary = paragraph
            .replace(/\s+/g, ' ')
            .replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
            .split(/(?<=[.:]) /)[0]
            .replace(/:$/, '.');
          const { contents } = render(root, name, source(name), known);
          const text = JSON.stringify({ title, summary, contents }).slice(1, -1);
          const load = `() => import(${JSON.stringify(ONE + name)})`;
          return `${JSON.stringify(name)}: { ${text}, load: ${load} }`;
        });
        return `export default { ${entries.join(',\n')} };`;
      }
      if (id.startsWith('\0' + ONE)) {
        const name = id.slice(ONE.length + 1);
        this.addWatchFile(join(root, name + '.md'));
        const { html, contents, pictures } = render(root, name, source(name), known);
        let expression = JSON.stringify(html);
        pictures.forEach((file, i) => {
          this.addWatchFile(file);
          expression = expression.replace(pictureMark(i), `" + picture${i} + "`);
        });
        return [
          ...pictures.map((file, i) => `import picture${i} from ${JSON.stringify(file + '?url')};`),
          `export const html = ${expression};`,
          `export const contents = ${JSON.stringify(contents)};`,
        ].join('\n');
      }
      return undefined;
    },
  };
}
