import helmet from 'helmet'

const own = ["'self'"]
const directives = {
  defaultSrc: ["'none'"],
  scriptSrc: own,
  styleSrc: own,
  imgSrc: own,
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}

/** Scripts, styles and pictures of this host alone. */
export const pagePolicy = helmet.contentSecurityPolicy({ useDefaults: false, directives })

/** A page that also calls this host; text never becomes markup (Trusted Types), and no form is sent. */
export const callingPagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: { ...directives, connectSrc: own, requireTrustedTypesFor: ["'script'"] },
})
