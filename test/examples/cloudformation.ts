// A CloudFormation template against the resource types that AWS publishes (npm @aws-cdk/aws-service-spec): names, types and
// required properties, and what Ref, Fn::GetAtt and Fn::Sub name.
import {loadAwsServiceSpecSync} from '@aws-cdk/aws-service-spec'
import type {PropertyType, ResourceProperties} from '@aws-cdk/service-spec-types'

export interface Template {
  readonly Parameters: Readonly<Record<string, unknown>>
  readonly Resources: Readonly<Record<string, {readonly Properties: object; readonly Type: string}>>
}

const PSEUDO = /^AWS::(?:AccountId|Partition|Region|URLSuffix)$/

let loaded: ReturnType<typeof loadAwsServiceSpecSync> | undefined

/** Each with its place; none where it is valid. */
export function problemsIn({Parameters, Resources}: Template): string[] {
  const published = (loaded ??= loadAwsServiceSpecSync())
  const typeOf = (name: string) => published.lookup('resource', 'cloudFormationType', 'equals', name).only()
  const isKnown = (name: string): boolean => name in Parameters || name in Resources || PSEUDO.test(name)

  /** Undefined: it is no function. */
  function inFunction(value: unknown, at: string): string[] | undefined {
    const [[key = '', given] = []] = Object.entries(value ?? {}) as [string?, unknown?][]
    switch (key) {
      case 'Fn::Base64':
        return inFunction(given, at)
      case 'Fn::GetAtt': {
        const [name = '', attribute = ''] = given as string[]
        const attributes = Resources[name] ? typeOf(Resources[name].Type).attributes : {}
        return attribute in attributes ? [] : [`${at}: no ${name}.${attribute}`]
      }
      case 'Fn::Sub':
        return [...String(given).matchAll(/\$\{([^}]+)\}/g)].flatMap(([, name = '']) =>
          isKnown(name) ? [] : [`${at}: no ${name}`],
        )
      case 'Ref':
        return isKnown(String(given)) ? [] : [`${at}: no ${String(given)}`]
      default:
        return undefined
    }
  }

  function inValue(value: unknown, type: PropertyType, at: string): string[] {
    if (type.type !== 'json') {
      const found = inFunction(value, at)
      if (found) return found
    }
    switch (type.type) {
      case 'array':
        if (!Array.isArray(value)) return [`${at}: no list`]
        return value.flatMap((item: unknown, index) => inValue(item, type.element, `${at}[${index}]`))
      case 'ref':
        return inMembers(value as object, published.get('typeDefinition', type.reference.$ref).properties, at)
      case 'union':
        return type.types.some((one) => inValue(value, one, at).length === 0) ? [] : [`${at}: none of its types`]
      case 'json':
        return inDocument(value, at)
      case 'boolean':
      case 'string':
        return typeof value === type.type ? [] : [`${at}: no ${type.type}`]
      case 'integer':
        return Number.isInteger(value) ? [] : [`${at}: no integer`]
      default:
        return [`${at}: ${type.type} is not expected in this template`]
    }
  }

  /** JSON of another language, such as a policy, with functions in it. */
  function inDocument(value: unknown, at: string): string[] {
    if (typeof value !== 'object' || value === null) return []
    return inFunction(value, at) ?? Object.entries(value).flatMap(([key, part]) => inDocument(part, `${at}.${key}`))
  }

  function inMembers(members: object, properties: ResourceProperties, at: string): string[] {
    const missing = Object.entries(properties).filter(([name, {required}]) => required && !(name in members))
    return [
      ...missing.map(([name]) => `${at}.${name}: missing`),
      ...Object.entries(members).flatMap(([name, value]) => {
        const property = properties[name]
        return property ? inValue(value, property.type, `${at}.${name}`) : [`${at}.${name}: unknown`]
      }),
    ]
  }

  return Object.entries(Resources).flatMap(([name, {Properties, Type}]) =>
    inMembers(Properties, typeOf(Type).properties, name),
  )
}
