type Port = {
  postMessage(packet: unknown): void;
  on(event: 'message', listener: (packet: unknown) => void): unknown;
};

export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

type Packet =
  | { id: number; call: string; args: readonly unknown[] }
  | { id: number; result: unknown }
  | { id: number; error: string };

/** Calls of the other side's functions; arguments and results are copied. */
export type Rpc<Remote extends Calls> = {
  call<Name extends keyof Remote & string>(
    name: Name,
    ...args: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
  fail(error: Error): void;
};

type Waiting = { resolve: (result: never) => void; reject: (error: Error) => void };

export function openRpc<Local extends Calls, Remote extends Calls>(
  port: Port,
  local: Local,
): Rpc<Remote> {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const answer = async (id: number, name: string, args: readonly unknown[]) => {
    try {
      const called = local[name];
      if (!called) throw new Error(`no function ${name}`);
      port.postMessage({ id, result: await called(...(args as never[])) });
    } catch (error) {
      port.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    }
  };
  port.on('message', (given) => {
    const packet = given as Packet;
    if ('call' in packet) return void answer(packet.id, packet.call, packet.args);
    const one = waiting.get(packet.id);
    waiting.delete(packet.id);
    if ('error' in packet) one?.reject(new Error(packet.error));
    else one?.resolve(packet.result as never);
  });
  return {
    call(name, ...args) {
      last += 1;
      const id = last;
      const { promise, resolve, reject } =
        Promise.withResolvers<Awaited<ReturnType<Remote[typeof name]>>>();
      waiting.set(id, { resolve, reject });
      port.postMessage({ id, call: name, args });
      return promise;
    },
    fail(error) {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}
