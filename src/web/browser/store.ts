import { useSyncExternalStore } from 'react';

/** A value outside of React that any code may read and set, and that components follow. */
export type Store<Value> = {
  get: () => Value;
  /** Setting the same value is no change. */
  set: (next: Value) => void;
  /** Calls back after each change. @returns the stop function */
  subscribe: (listener: () => void) => () => void;
};

/**
 * Creates a store.
 *
 * @param initial returns the first value, on first use.
 * @param connect called with the first listener, to follow an outside source; its result is called after the last
 *   listener has gone.
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

export const useStore = <Value>(store: Store<Value>): Value =>
  useSyncExternalStore(store.subscribe, store.get);
