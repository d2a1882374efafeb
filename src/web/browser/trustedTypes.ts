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
 * The address of an own script as Trusted Types require it, for `new Worker` and the registration of a service worker.
 * The page's CSP allows the single policy created here.
 *
 * @throws TypeError for a foreign address.
 */
export const trustedScript = (url: string): string =>
  // The DOM types have no TrustedScriptURL; all uses accept a string.
  (ownPolicy()?.createScriptURL(url) ?? ownAddress(url)) as string;

let captchaPolicy: ScriptPolicy | undefined;

/**
 * The same for the captcha's script, by its own policy: the page allows it only where a captcha is configured, and only
 * scripts of that provider.
 *
 * @param url the script to load.
 * @param named the address from the server; `url` may only add to its query.
 * @throws TypeError for any other.
 */
export function trustedCaptcha(url: string, named: string): string {
  const check = (address: string): string => {
    const [one, other] = [new URL(address), new URL(named)];
    if (one.origin === other.origin && one.pathname === other.pathname) return one.href;
    throw new TypeError(`not the captcha's script: ${one.href}`);
  };
  const { trustedTypes } = window as { trustedTypes?: PolicyFactory };
  captchaPolicy ??= trustedTypes?.createPolicy('captcha', { createScriptURL: check });
  return (captchaPolicy?.createScriptURL(url) ?? check(url)) as string;
}
