/** How phones are reached, by their names: the network of this server, Meta's Cloud API, and WhatsApp Web. */
export const channelNames = ['simulator', 'cloud', 'web'] as const;
