/** The places in the code that run a part of a source. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { childrenOf, type Node, statementsOf } from './syntax.ts';

/** An index in the text of a source file. */
export interface Place {
  readonly file: string;
  readonly start: number;
}

/** A use of a name outside of types and of names of fields. */
interface Identifier {
  readonly name: string;
  readonly start: number;
}

/** A statement at the top level of a file. */
interface Statement {
  readonly start: number;
  readonly end: number;
  /** The names that it declares or exports. */
  readonly names: readonly string[];
  /** The functions in it. */
  readonly functions: readonly { readonly start: number; readonly end: number; readonly body: number }[];
  readonly identifiers: readonly Identifier[];
  /** The file that it imports or exports names from, and each name there with its name here. */
  readonly from: { readonly file: string; readonly names: ReadonlyMap<string, string> } | null;
}

/** Finds the places that run a part of the sources. */
export class Places {
  readonly #statements = new Map<string, readonly Statement[]>();

  /** @param files the paths of all sources */
  constructor(files: readonly string[]) {
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      this.#statements.set(
        file,
        statementsOf(text).map((node) => statementOf(node, file)),
      );
    }
  }

  /**
   * The place itself if it is in a function. Code at the top level of a file runs for each importer, so its places are
   * the functions of its statement and those that use the names which the statement declares.
   */
  of(place: Place, known = new Set<Statement>()): readonly Place[] {
    const { file, start } = place;
    const statement = this.#statements.get(file)?.find((each) => each.start <= start && start < each.end);
    if (statement === undefined || known.has(statement)) return [];
    if (statement.functions.some((each) => each.start <= start && start < each.end)) return [place];
    known.add(statement);
    const within = statement.functions.map(({ body }) => ({ file, start: body }));
    return [...within, ...statement.names.flatMap((name) => this.#usesOf(name, file, known))];
  }

  #usesOf(name: string, file: string, known: Set<Statement>): readonly Place[] {
    const uses: Place[] = [];
    for (const [user, statements] of this.#statements) {
      const imported = statements.filter(({ from }) => from?.file === file && from.names.has(name));
      const local = user === file ? name : imported[0]?.from?.names.get(name);
      if (local === undefined) continue;
      for (const { identifiers } of statements)
        for (const each of identifiers)
          if (each.name === local) uses.push(...this.of({ file: user, start: each.start }, known));
    }
    return uses;
  }
}

function statementOf(node: Node, file: string): Statement {
  const functions: { start: number; end: number; body: number }[] = [];
  const identifiers: Identifier[] = [];
  function walk(each: Node): void {
    if (each.type.startsWith('TS') && !each.type.endsWith('Expression')) return;
    if (each.type === 'Identifier') identifiers.push({ name: each.name as string, start: each.start });
    const body = each.body as Node | null | undefined;
    if (/Function/.test(each.type) && body != null)
      functions.push({ start: each.start, end: each.end, body: body.start });
    for (const [field, child] of childrenOf(each))
      if (each.computed === true || !(field === 'property' || field === 'key')) walk(child);
  }
  walk(node);
  const source = (node.source as Node | null | undefined)?.value as string | undefined;
  const from = source === undefined ? null : { file: resolve(dirname(file), source), names: namesBetween(node) };
  return { start: node.start, end: node.end, names: namesOf(node), functions, identifiers, from };
}

/** The names that an import or an export takes from another file, each with its name in this one. */
function namesBetween({ type, specifiers = [] }: Node): ReadonlyMap<string, string> {
  const [there, here] = type === 'ImportDeclaration' ? ['imported', 'local'] : ['local', 'exported'];
  const nameIn = (specifier: Node, field: string) => (specifier[field] as Node | undefined)?.name as string;
  return new Map((specifiers as Node[]).map((each) => [nameIn(each, there!), nameIn(each, here!)]));
}

function namesOf(node: Node): readonly string[] {
  const declaration = (node.declaration as Node | null | undefined) ?? node;
  const declared = (declaration.declarations as Node[] | undefined) ?? [declaration];
  const exported = node.type === 'ExportNamedDeclaration' ? [...namesBetween(node).values()] : [];
  const names = declared.flatMap(({ id }) => boundNames(id as Node | null | undefined));
  return [...names, ...exported];
}

/** The names that a pattern binds: `one`, or `{ one, two }`. */
function boundNames(pattern: Node | null | undefined): readonly string[] {
  if (pattern == null) return [];
  if (pattern.type === 'Identifier') return [pattern.name as string];
  return childrenOf(pattern)
    .filter(([field]) => field !== 'key' && field !== 'typeAnnotation')
    .flatMap(([, child]) => boundNames(child));
}
