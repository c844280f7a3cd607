// Documents held against the schemas in the package, as a program that reads them would.
import {readFileSync} from 'node:fs'
import {Ajv} from 'ajv'

const ajv = new Ajv({allErrors: true, allowUnionTypes: true, strict: true})

export const schemaOf = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as object

/** What is wrong with the document: nothing, where it is one of the schema. */
export function schemaErrors(name: string, document: unknown): string[] {
  const validate = ajv.getSchema(`k8s-win/${name}.schema.json`) ?? ajv.compile(schemaOf(name))
  // As it is written: what is undefined is not there.
  if (validate(JSON.parse(JSON.stringify(document)))) return []
  return (validate.errors ?? []).map(({instancePath, message}) => `${name}: ${instancePath} ${message}`)
}
