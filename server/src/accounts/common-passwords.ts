/**
 * Common leaked passwords of eight characters or more, including Brazilian ones. Attackers try these first. Against
 * guesses of other passwords, the limit on failed sign-ins is sufficient.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 12345678910 123456789a 0123456789 987654321 9876543210 123123123 1234512345 12341234
  123454321 147258369 159753456 102030405060 10203040 11223344 112233445566 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx
  1qaz2wsx3edc q1w2e3r4 q1w2e3r4t5 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 qazwsxedc asdfghjk
  asdfghjkl asdf1234 zxcvbnm1 zxcvbnm123 abcdefgh abcdefghi abcd1234 abc12345 abc123456 abcabc123 a1b2c3d4 aa123456
  aa12345678 password password1 password12 password123 password1234 passw0rd p@ssw0rd p@ssword pa55word passwort
  mypassword changeme changeme1 changeme123 letmein1 letmein123 welcome1 welcome123 admin123 admin1234 admin12345
  administrator administrador root1234 test1234 teste123 teste1234 testtest iloveyou iloveyou1 sunshine princess
  princess1 football football1 baseball baseball1 basketball superman superman1 trustno1 starwars whatever computer
  internet samsung1 michelle jennifer jordan23 liverpool master123 monkey123 dragon123 shadow123 charlie1 freedom1
  dearbook whatsapp facebook instagram google123 unknown1 secret123 pokemon1 pokemon123 minecraft killer123 naruto123
  senha123 senha1234 senha12345 senha123456 minhasenha mudar123 mudar1234 brasil123 brasil10 brasil2014 brasil2022
  flamengo flamengo1 corinthians corinthians1 palmeiras palmeiras1 saopaulo saopaulo1 vascodagama cruzeiro gremio123
  santos123 internacional botafogo fluminense estrela1 felicidade deusefiel deuseamor jesuscristo jesus123 familia1
  amoreterno meuamor1 teamomuito gabriel1 gabriel123 rafael123 felipe123 lucas123 mariana1 juliana1 fernanda1 feira123
  feira1234 loja1234 minhaloja`.split(/\s+/),
);
