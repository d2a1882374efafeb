export const campaignKey = ['one_campaign'] as const;
