/** What a person has to do about an item of the inbox. */
export const inboxActions = ['decide', 'recover', 'close_difference'] as const
export type InboxAction = (typeof inboxActions)[number]
