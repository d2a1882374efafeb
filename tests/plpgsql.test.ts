import { loadModule, parsePlPgSQLSync } from 'libpg-query';
import { expect } from 'vitest';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';

/*
 * PostgreSQL analyses a statement of PL/pgSQL when it is first executed. Here each one becomes the body of an SQL
 * function whose parameters are the variables, which PostgreSQL checks when it is created.
 */

type Routine = {
  name: string;
  text: string;
  /** Names and types of its parameters. */
  parameters: readonly { name: string; type: string }[];
  /** Tables with a trigger that calls it. */
  tables: readonly string[];
  /** Names of its transition tables. */
  transitions: readonly string[];
};

type Statement = {
  line: number;
  sql: string;
  /** The variable of type `record` that takes its row. */
  into: string | undefined;
};

type Variable = { name: string; type: string; line: number };

type Node = { readonly [key: string]: unknown };

/** The parser's modes; all others are of assignments. */
const WHOLE = 0;
const EXPRESSION = 2;

const RECORD = 'record';
/** Rows of a query that is made at run time. */
const untyped = new Set(['v_hit']);

const routinesOf = (sql: Sql) => sql<Routine[]>`
  select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as text,
    (
      select coalesce(json_agg(json_build_object('name', a.name, 'type', format_type(a.type, null))), '[]')
      from unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[])) as a(name, type)
      where a.name <> ''
    ) as parameters,
    array(select distinct tgrelid::regclass::text from pg_trigger where tgfoid = p.oid) as tables,
    array(
      select distinct n.name from pg_trigger, unnest(array[tgoldtable, tgnewtable]::text[]) as n(name)
      where tgfoid = p.oid and n.name is not null
    ) as transitions
  from pg_proc p join pg_language l on l.oid = p.prolang
  where l.lanname = 'plpgsql' and p.pronamespace = 'public'::regnamespace`;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((found, key) => (isNode(found) ? found[key] : undefined), value);

const numberIn = (value: unknown, key: string, otherwise: number): number => {
  const found = at(value, key);
  return typeof found === 'number' ? found : otherwise;
};

/** The statements and expressions below a node. */
function statementsIn(node: unknown, line = 0, into?: string): Statement[] {
  if (!isNode(node)) return [];
  const here = numberIn(node, 'lineno', line);
  const record =
    at(node, 'var', 'PLpgSQL_rec', 'refname') ?? at(node, 'target', 'PLpgSQL_rec', 'refname');
  // A loop's query comes before its body, for the type of its row.
  const { body, ...rest } = node;
  return Object.entries({ ...rest, body }).flatMap(([key, value]) => {
    if (key === 'PLpgSQL_expr') {
      const query = String(at(value, 'query'));
      const mode = at(value, 'parseMode');
      if (mode === WHOLE) return [{ line, sql: query, into }];
      // Of an assignment, what follows its target.
      const sql = `select ${mode !== EXPRESSION ? query.replace(/^[^=]*?:?=/, '') : query}`;
      return [{ line, sql, into: undefined }];
    }
    const takes = (key === 'query' || key === 'sqlstmt') && typeof record === 'string';
    return statementsIn(value, here, takes ? record : undefined);
  });
}

function variablesOf(
  datums: unknown,
  { text, parameters }: Routine,
  table: string | undefined,
): Variable[] {
  if (!Array.isArray(datums)) return [];
  const rowTypes = [...text.matchAll(/(\w+) (\w+)%rowtype/gi)].map(
    ([, name, type]) => [name, type] as const,
  );
  const known = new Map<unknown, string | undefined>([
    ...rowTypes,
    ...parameters.map(({ name, type }) => [name, type] as const),
    ['old', table],
    ['new', table],
  ]);
  return datums.flatMap((datum: unknown) => {
    const found = at(datum, 'PLpgSQL_var') ?? at(datum, 'PLpgSQL_rec');
    const name = at(found, 'refname');
    const type = known.get(name) ?? at(found, 'datatype', 'PLpgSQL_type', 'typname');
    if (typeof name !== 'string' || typeof type !== 'string') return [];
    return [{ name, type, line: numberIn(found, 'lineno', 0) }];
  });
}

class Checker {
  readonly #tx: Tx;
  readonly #variables: Variable[];
  #made = 0;

  constructor(tx: Tx, variables: Variable[]) {
    this.#tx = tx;
    this.#variables = variables;
  }

  /** @returns the database's complaint. */
  async check(statement: Statement): Promise<string | undefined> {
    const variables = this.#variablesOf(statement);
    if (variables.some(({ name, type }) => type === RECORD && untyped.has(name))) return undefined;
    const parameters = variables.map(({ name, type }) => `"${name}" ${type}`).join(', ');
    try {
      await this.#run(
        `create function pg_temp.checked_${this.#next()}(${parameters}) returns void
         language sql as $checked$${statement.sql}$checked$`,
      );
      if (statement.into !== undefined)
        await this.#giveType(statement.into, statement.sql, variables);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** From now on, the record has the columns of the query. */
  async #giveType(name: string, sql: string, variables: readonly Variable[]): Promise<void> {
    const nth = this.#variables.findIndex((one) => one.name === name && one.type === RECORD);
    const variable = this.#variables[nth];
    if (!variable) return;
    const type = `row_${this.#next()}`;
    const nulls = variables.map((one) => `null::${one.type} as "${one.name}"`).join(', ');
    await this.#run(
      `create temp table ${type} as
       select r.* from (select ${nulls}) v cross join lateral (${sql}) r limit 0`,
    );
    this.#variables[nth] = { ...variable, type: `pg_temp.${type}` };
  }

  #variablesOf({ line, sql }: Statement): Variable[] {
    const used = this.#variables.filter(
      (one) => one.line <= line && new RegExp(`\\b${one.name}\\b`, 'i').test(sql),
    );
    // The last declaration before the statement.
    return [...new Map(used.map((one) => [one.name, one])).values()];
  }

  #run = (sql: string) => this.#tx.savepoint((tx) => tx.query(sql));

  #next(): number {
    this.#made += 1;
    return this.#made;
  }
}

async function complaintsAbout(
  tx: Tx,
  routine: Routine,
  table: string | undefined,
): Promise<string[]> {
  // The parser knows the fields of a record, and not those of a row type.
  const tree: unknown = parsePlPgSQLSync(routine.text.replace(/\w+%rowtype/gi, RECORD));
  const whole = at(tree, 'plpgsql_funcs', '0', 'PLpgSQL_function');
  for (const name of routine.transitions) {
    await tx.query(`create temp table ${name} (like ${table})`);
  }
  const checker = new Checker(tx, variablesOf(at(whole, 'datums'), routine, table));
  const found: string[] = [];
  for (const statement of statementsIn(at(whole, 'action'))) {
    const complaint = await checker.check(statement);
    if (complaint !== undefined) {
      found.push(`${routine.name}, line ${statement.line}: ${complaint}\n${statement.sql}`);
    }
  }
  return found;
}

class Over extends Error {}

async function complaintsIn(sql: Sql, routine: Routine): Promise<string[]> {
  let fewest: string[] | undefined;
  // The function of triggers of several tables reads the columns of one after it has looked which it is.
  for (const table of routine.tables.length > 0 ? routine.tables : [undefined]) {
    const work = sql.begin(async (tx) => {
      const found = await complaintsAbout(tx, routine, table);
      if (!fewest || found.length < fewest.length) fewest = found;
      throw new Over();
    });
    await expect(work).rejects.toThrow(Over);
  }
  return fewest ?? [];
}

test('each statement in PL/pgSQL names what exists, with its type', async ({ db: { owner } }) => {
  await loadModule();
  const routines = await routinesOf(owner);
  expect(routines.length).toBeGreaterThan(50);
  const complaints: string[] = [];
  for (const routine of routines) complaints.push(...(await complaintsIn(owner, routine)));
  expect(complaints).toEqual([]);
});

test('reports a column that does not exist, in a branch that never runs', async ({
  db: { owner },
}) => {
  await loadModule();
  await owner.query(`
    create function odd(p_account uuid) returns void language plpgsql as $$
    begin
      if false then
        update wallets set saldo = 0 where account_id = p_account;
      end if;
    end $$`);
  const odd = (await routinesOf(owner)).find(({ name }) => name === 'odd(uuid)');
  expect(odd && (await complaintsIn(owner, odd))).toEqual([
    expect.stringContaining('column "saldo" of relation "wallets" does not exist'),
  ]);
});
