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

let captchaPolicy: ScriptPolicy | undefined;

/**
 * The address of the captcha's script, in the same way, by a policy of its own: the page allows it where
 * such a captcha was chosen, and scripts from that provider alone.
 *
 * @param url what is fetched.
 * @param named the address that the server named; `url` may add to its query only.
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
