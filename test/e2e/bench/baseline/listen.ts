import express, { type Express } from 'express'

/** Express with nothing in it but a JSON body, on a free port of loopback; resolves with its address. */
export function listen(routes: (app: Express) => void): Promise<string> {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(express.json())
  routes(app)
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
    })
  })
}
