import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Provider = 'turnstile' | 'hcaptcha' | 'recaptcha';

export const SITE_KEY = 'site-key-of-the-fake';
export const SECRET_KEY = 'secret-key-of-the-fake';

export type Verdict = { hostname?: string; action?: string };

export type FakeCaptcha = {
  verifyUrl: string;
  scriptUrl: string;
  /** An answer that it accepts once, as its widget would issue it. */
  solved: (verdict?: Verdict) => string;
  asked: readonly URLSearchParams[];
  /** From now on: works, does not answer, returns no verdict, or accepts answers repeatedly. */
  actAs: (manner: Manner) => void;
  close: () => Promise<void>;
};
type Manner = 'well' | 'silent' | 'broken' | 'forgetful';

/** Each provider's global name in the browser, and its error for a used answer. */
const names: Record<Provider, { api: string; usedBefore: string }> = {
  turnstile: { api: 'turnstile', usedBefore: 'timeout-or-duplicate' },
  hcaptcha: { api: 'hcaptcha', usedBefore: 'already-seen-response' },
  recaptcha: { api: 'grecaptcha', usedBefore: 'timeout-or-duplicate' },
};

/** Starts a fake provider on a free port. It remembers every answer, and accepts each once. */
export async function startFakeCaptcha(provider: Provider): Promise<FakeCaptcha> {
  const given = new Map<string, Verdict & { used: boolean }>();
  const asked: URLSearchParams[] = [];
  let manner: Manner = 'well';
  const solved = (verdict: Verdict = {}): string => {
    const answer = `answer-${given.size}-${crypto.randomUUID()}`;
    given.set(answer, { ...verdict, used: false });
    return answer;
  };
  const judge = (form: URLSearchParams): object => {
    const no = (code: string) => ({ success: false, 'error-codes': [code] });
    if (form.get('secret') !== SECRET_KEY) return no('invalid-input-secret');
    if (provider === 'hcaptcha' && form.get('sitekey') !== SITE_KEY) {
      return no('sitekey-secret-mismatch');
    }
    const known = given.get(form.get('response') ?? '');
    if (!known) return no('invalid-input-response');
    if (known.used && manner !== 'forgetful') return no(names[provider].usedBefore);
    known.used = true;
    const { hostname = 'localhost', action } = known;
    const at = { challenge_ts: new Date().toISOString(), hostname };
    // Only Turnstile returns the action of the answer.
    return {
      success: true,
      ...at,
      'error-codes': [],
      ...(provider === 'turnstile' && { action: action ?? '' }),
    };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/api.js') {
      response.setHeader('content-type', 'text/javascript; charset=utf-8');
      response.end(scriptOf(provider, searchParams));
      return;
    }
    if (pathname === '/frame') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(frame);
      return;
    }
    if (pathname === '/solve') {
      response.setHeader('content-type', 'text/plain; charset=utf-8');
      response.end(solved({ action: searchParams.get('action') ?? '' }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    asked.push(form);
    if (manner === 'silent') return;
    response.setHeader('content-type', 'application/json');
    response.end(manner === 'broken' ? '<html>502</html>' : JSON.stringify(judge(form)));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    verifyUrl: `${address}/siteverify`,
    scriptUrl: `${address}/api.js`,
    solved,
    asked,
    actAs: (next) => {
      manner = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const frame = `<!doctype html><html lang="id"><meta charset="utf-8"><title>Captcha</title>
<body style="margin:0;font:14px sans-serif"><label style="display:flex;gap:8px;padding:12px">
<input type="checkbox" id="box"> Saya manusia</label><script>
const action = new URLSearchParams(location.search).get('action');
document.getElementById('box').addEventListener('change', async (event) => {
  event.target.disabled = true;
  const answer = await (await fetch('/solve?action=' + encodeURIComponent(action))).text();
  parent.postMessage({ captcha: answer }, '*');
});
</script></body></html>`;

const scriptOf = (provider: Provider, asked: URLSearchParams): string => `(() => {
  const here = new URL(document.currentScript.src).origin;
  if (${JSON.stringify(asked.get('render'))} !== 'explicit') throw new Error('not explicit');
  window.${names[provider].api} = {
    render(place, given) {
      if (given.sitekey !== ${JSON.stringify(SITE_KEY)}) return given['error-callback']('110100');
      const frame = document.createElement('iframe');
      frame.title = 'Captcha';
      frame.width = '300';
      frame.height = '65';
      frame.src = here + '/frame?action=' + encodeURIComponent(given.action ?? '');
      place.append(frame);
      addEventListener('message', ({ source, data }) => {
        if (source === frame.contentWindow) given.callback(data.captcha);
      });
    },
  };
  window[${JSON.stringify(asked.get('onload'))}]();
})();`;
