import { trustedCaptcha } from '#web/browser/trustedTypes.ts';
import type { CaptchaRequest, CaptchaTask, Solver } from '#web/features/auth/captcha/captcha.ts';

/** A callback named in the script's address; the script calls it when it is ready. */
const LOADED = 'kabariCaptchaLoaded';
const LOAD_MS_MAX = 20_000;

type Given = Readonly<Record<string, unknown>>;

type WidgetApi = { render: (container: HTMLElement, given: Given) => unknown };

type Kind = {
  api: string;
  more: (request: CaptchaRequest) => Given;
};

const kinds: Record<Exclude<CaptchaTask['provider'], 'altcha'>, Kind> = {
  turnstile: {
    api: 'turnstile',
    more: ({ purpose }) => ({ action: purpose, language: 'id', size: 'flexible' }),
  },
  hcaptcha: { api: 'hcaptcha', more: () => ({ hl: 'id' }) },
  recaptcha: { api: 'grecaptcha', more: () => ({ hl: 'id' }) },
};

/**
 * Shows the provider's widget and waits until the person (or the widget by itself) solved it.
 *
 * @throws Error when its script cannot be loaded, or it gives up.
 */
export const askWidget: Solver = async (task, request) => {
  if (task.provider === 'altcha') throw new Error('ALTCHA has no widget');
  const { api, more } = kinds[task.provider];
  await loaded(task.script_url);
  const widget = (window as unknown as Record<string, WidgetApi | undefined>)[api];
  if (!widget) throw new Error(`the script made no ${api}`);
  // A new container for each: a solved widget cannot be used again.
  const container = document.createElement('div');
  request.container.replaceChildren(container);
  request.setState('asking');
  return new Promise((resolve, reject) => {
    widget.render(container, {
      ...more(request),
      sitekey: task.site_key,
      theme: isDark() ? 'dark' : 'light',
      callback: resolve,
      'expired-callback': () => request.setState('idle'),
      'error-callback': () => reject(new Error('the widget gave up')),
    });
  });
};

/** The person's choice, or else the system's. */
const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};

let loading: Promise<void> | undefined;

/** Loads the script once; retries after a failure. */
function loaded(scriptUrl: string): Promise<void> {
  loading ??= load(scriptUrl).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

function load(scriptUrl: string): Promise<void> {
  const url = new URL(scriptUrl);
  for (const [name, value] of [
    ['render', 'explicit'],
    ['onload', LOADED],
    ['hl', 'id'],
  ] as const) {
    url.searchParams.set(name, value);
  }
  const script = document.createElement('script');
  script.async = true;
  script.src = trustedCaptcha(url.href, scriptUrl);
  const ready = new Promise<void>((resolve, reject) => {
    (window as unknown as Record<string, () => void>)[LOADED] = resolve;
    const fail = () => reject(new Error('the captcha’s script did not come'));
    script.addEventListener('error', fail);
    setTimeout(fail, LOAD_MS_MAX);
  });
  document.head.append(script);
  return ready.catch((error: unknown) => {
    script.remove();
    throw error;
  });
}
