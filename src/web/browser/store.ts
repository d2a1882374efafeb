import { useSyncExternalStore } from 'react';

/** A value outside of React that any code may read and set, and that components follow. */
export type Store<Value> = {
  get: () => Value;
  /** The same value again is no change. */
  set: (next: Value) => void;
  /** Calls back after each change. @returns how to stop */
  subscribe: (listener: () => void) => () => void;
};

/**
 * Makes a store.
 *
 * @param initial gives the first value, when somebody asks for it.
 * @param connect called when the first listener comes, to follow what changes the value elsewhere;
 *   what it returns is called when the last one has gone.
 */
export function createStore<Value>(
  initial: () => Value,
  connect?: (store: Store<Value>) => () => void,
): Store<Value> {
  let value: { now: Value } | undefined;
  let disconnect: (() => void) | undefined;
  const listeners = new Set<() => void>();
  const get = () => (value ??= { now: initial() }).now;
  const store: Store<Value> = {
    get,
    set(next) {
      if (Object.is(get(), next)) return;
      value = { now: next };
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) disconnect = connect?.(store);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) disconnect?.();
      };
    },
  };
  return store;
}

/** What a store holds, kept current. */
export const useStore = <Value>(store: Store<Value>): Value =>
  useSyncExternalStore(store.subscribe, store.get);
