import type * as Sdk from '@modelcontextprotocol/server';
import type { CallToolResult, McpHttpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import { once } from '#contract/base/once.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Scope } from '#contract/rest/scopes.ts';
import { readKnowing } from '#server/http/input.ts';
import { troubleBehind } from '#server/http/answer.ts';
import { readFields } from '#server/http/v1/fields.ts';
import { problemOf } from '#server/http/v1/problem.ts';
import { INSTRUCTIONS, type Tool, type ToolCall, type ToolDeps, tools } from './tools.ts';

/** One request to the server, its caller known. */
export type McpCall = ToolCall & {
  requestId: string;
  /** Refuses what the caller's token may not do. */
  allow: (scope: Scope) => void;
  /** Takes why a call was refused, for its owner. */
  onRefused: (no: Refusal) => void;
};

export type McpServerDeps = ToolDeps & {
  version: string;
  report: (bug: unknown, requestId: string) => void;
};

/**
 * The MCP side of `/mcp`, by the official SDK: stateless, a server of its own for each request. The call is
 * handed over as `authInfo.extra`; nothing here looks at keys. The SDK is loaded with the first request.
 */
export const createMcp = (deps: McpServerDeps): (() => Promise<McpHttpHandler>) =>
  once(async () => {
    const sdk = await import('@modelcontextprotocol/server');
    return sdk.createMcpHandler(
      ({ authInfo }) => serverOf(sdk, deps, authInfo?.extra as McpCall),
      // Nothing changes while a request lasts, so there is nothing to subscribe to.
      { maxSubscriptions: 0 },
    );
  });

function serverOf(sdk: typeof Sdk, deps: McpServerDeps, call: McpCall): McpServer {
  const mcp = new sdk.McpServer(
    { name: 'kabari', title: 'Kabari', version: deps.version },
    { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
  );
  // By hand, not by `registerTool`: what a tool throws there is told to the caller word for word.
  mcp.server.setRequestHandler('tools/list', () => ({
    tools: tools.filter(({ scope }) => mayDo(call, scope)).map(listed),
  }));
  mcp.server.setRequestHandler('tools/call', ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool) return answerCall(deps, call, tool, params.arguments ?? {});
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'There is no such tool.');
  });
  return mcp;
}

function mayDo(call: McpCall, scope: Scope): boolean {
  try {
    call.allow(scope);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

const jsonSchemas = new WeakMap<Tool, { inputSchema: object; outputSchema: object }>();

function listed(tool: Tool) {
  const { name, title, description, annotations } = tool;
  let schemas = jsonSchemas.get(tool);
  if (!schemas) {
    const print = (one: z.ZodMiniType, io: 'input' | 'output') =>
      z.toJSONSchema(one, { io, unrepresentable: 'any' });
    const outputSchema = print(tool.output(), 'output');
    schemas = { inputSchema: print(tool.input(), 'input'), outputSchema };
    jsonSchemas.set(tool, schemas);
  }
  const { inputSchema, outputSchema } = schemas as Record<string, { type: 'object' }>;
  return { name, title, description, annotations, inputSchema, outputSchema } as never;
}

/** What a tool answers, or why it did not: a "no" is an answer that an assistant reads, too. */
async function answerCall(
  deps: McpServerDeps,
  call: McpCall,
  tool: Tool,
  given: unknown,
): Promise<CallToolResult> {
  try {
    call.allow(tool.scope);
    const { language } = call.reader;
    const { read: input } = await readKnowing(deps.knownNumbers, call.sender.accountId, () =>
      readFields(tool.input(), given, { language, whole: 'arguments' }),
    );
    if (input instanceof Refusal) throw input;
    const output = tool.output().parse(await tool.run(deps, call, input)) as Record<string, never>;
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: refusedText(deps, call, error) }] };
  }
}

function refusedText({ report }: McpServerDeps, call: McpCall, error: unknown): string {
  const { requestId, reader } = call;
  const known = error instanceof Refusal ? error : troubleBehind(error);
  if (!known) report(error, requestId);
  const no = known ?? new Refusal('our_fault', { request: requestId });
  call.onRefused(no);
  const { code, detail, retryable, fields } = problemOf(no, requestId, reader.language);
  return JSON.stringify({ code, detail, retryable, ...(fields && { fields }) });
}
