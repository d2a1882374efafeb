import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import type { PushService } from '#tests/push/push-service.ts';
import { encode } from '#web/browser/session.ts';
import { deviceOf } from '#tests/journeys/support/portal.ts';

export const startFirefox = (service: PushService): Promise<Browser> =>
  puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
    headless: true,
    extraPrefsFirefox: {
      'dom.push.serverURL': service.socketUrl,
      'dom.push.testing.allowInsecureServerURL': true,
      'dom.push.connection.enabled': true,
      'dom.push.retryBaseInterval': 200,
      'permissions.default.desktop-notification': 1,
      'alerts.useSystemBackend': false,
    },
  });

export async function openFirefox(
  browser: Browser,
  address: string,
  session?: string,
): Promise<Page> {
  const tab = await browser.newPage();
  if (session === undefined) return tab;
  await browser.setCookie({
    name: 'kabari-device',
    value: deviceOf(session),
    domain: new URL(address).hostname,
    path: '/',
    httpOnly: true,
    sameSite: 'Strict',
  });
  await tab.goto(`${address}/favicon.svg`);
  await tab.evaluate((token) => localStorage.setItem('auth-token', token), encode(session));
  return tab;
}
