/** Page events: what a person would hear, or see outside the page, and what was blocked. */
export type Kind = 'sound' | 'refused' | 'notice' | 'violation';

declare global {
  interface Window {
    journeyObserved?: (kind: Kind, what: string) => void;
    journeyStatuses?: string[];
  }
}

/** Runs in every page before its own scripts, so it may use nothing from outside itself. */
export function installSpies(): void {
  const report = (kind: Kind, what: string) => window.journeyObserved?.(kind, what);

  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function spied(this: HTMLMediaElement) {
    report('sound', this.currentSrc || this.src);
    const playing = play.call(this);
    playing.catch((no: Error) => report('refused', no.name));
    return playing;
  };

  if ('Notification' in window) {
    window.Notification = class extends window.Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        report('notice', JSON.stringify({ title, body: options?.body, icon: options?.icon }));
      }
    };
  }

  if ('ServiceWorkerRegistration' in window) {
    const { showNotification } = ServiceWorkerRegistration.prototype;
    ServiceWorkerRegistration.prototype.showNotification = function spied(title, options) {
      report('notice', JSON.stringify({ title, body: options?.body, icon: options?.icon }));
      return showNotification.call(this, title, options);
    };
  }

  document.addEventListener('securitypolicyviolation', (event) => {
    report('violation', `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
  });
}

/** Runs in the page: records every status of the row with these words from now on. */
export function followRow(words: string): void {
  const shown: string[] = [];
  window.journeyStatuses = shown;
  const statuses = /Antre|Mengirim|Terkirim|Sampai|Dibaca|Gagal/;
  const look = () => {
    const rows = [...document.querySelectorAll<HTMLElement>('tbody tr')];
    const row = rows.find((one) => one.innerText.includes(words));
    const status = statuses.exec(row?.innerText ?? '')?.[0];
    if (status && status !== shown.at(-1)) shown.push(status);
  };
  const changes = { childList: true, subtree: true, characterData: true };
  new MutationObserver(look).observe(document.body, changes);
  look();
}
