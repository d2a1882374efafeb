type ScriptPolicy = { createScriptURL: (url: string) => unknown };
type PolicyFactory = {
  createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => ScriptPolicy;
};

let policy: ScriptPolicy | undefined;

function ownPolicy(): ScriptPolicy | undefined {
  const { trustedTypes } = window as { trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy('app', { createScriptURL: ownAddress });
  return policy;
}

/** @throws TypeError for an address that is not one of our own files. */
function ownAddress(url: string): string {
  const { origin, href } = new URL(url, window.location.href);
  if (origin !== window.location.origin) throw new TypeError(`not our own script: ${href}`);
  return href;
}

/**
 * The address of one of our own scripts as browsers with Trusted Types want it, for `new Worker` and
 * the registration of a service worker. The page's policy allows the one policy made here.
 *
 * @throws TypeError for an address elsewhere.
 */
export const trustedScript = (url: string): string =>
  // The types of the platform know no TrustedScriptURL; every place that takes a text takes it too.
  (ownPolicy()?.createScriptURL(url) ?? ownAddress(url)) as string;
