// What other features may know of this one.
export { WebhookPart } from '#web/features/webhooks/WebhookPart.tsx';
