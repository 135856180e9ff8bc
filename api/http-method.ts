/** The methods that operations have. */
export const httpMethods = ['GET', 'POST', 'PUT', 'DELETE'] as const
export type HttpMethod = (typeof httpMethods)[number]

/** Whether a request of this method has a body; the input of the others stands in path and query. */
export const hasBody = (method: string): boolean => method === 'POST' || method === 'PUT'
