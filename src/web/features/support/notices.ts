/** Closes the browser's notices of answers that are now visible. */
export function closeSupportNotices(tag = 'support'): void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  const close = async () => {
    if (document.hidden) return;
    const registration = await serviceWorker?.getRegistration();
    for (const notice of (await registration?.getNotifications({ tag })) ?? []) {
      notice.close();
    }
  };
  close().catch(() => undefined);
}
