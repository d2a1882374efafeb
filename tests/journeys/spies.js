/**
 * What runs in every page of a journey before the page's own scripts: it counts what a person would
 * hear and see outside the page, and tells of what the page's policy had to stop.
 */
(() => {
  const tell = (kind, what) => window.journeyHeard?.(kind, what);

  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    tell('sound', this.currentSrc || this.src);
    return play.call(this);
  };

  const Native = window.Notification;
  if (Native) {
    window.Notification = class extends Native {
      constructor(title, options) {
        super(title, options);
        tell('notice', JSON.stringify({ title, body: options?.body ?? '', icon: options?.icon }));
      }
    };
  }

  const words = /Antre|Mengirim|Terkirim|Sampai|Dibaca|Gagal/;
  /** Writes down every status that the row with these words shows, in order. */
  window.journeyFollow = (text) => {
    window.journeyStatuses = [];
    const look = () => {
      const row = [...document.querySelectorAll('tbody tr')].find((one) =>
        one.innerText.includes(text),
      );
      const status = words.exec(row?.innerText ?? '')?.[0];
      if (status && status !== window.journeyStatuses.at(-1)) window.journeyStatuses.push(status);
    };
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
    look();
  };

  document.addEventListener('securitypolicyviolation', (event) => {
    tell('violation', `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile ?? ''}`);
  });
})();
