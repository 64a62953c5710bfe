// Compiled by scripts/compile-gitleaks.ts; do not edit. Source: https://github.com/gitleaks/gitleaks,
// config/gitleaks.toml, v8.30.0-27-gb58d3f10 of 2026-07-22. MIT License, Copyright (c) 2019 Zachary Rice: see packages/engine/THIRD-PARTY.md.

/** Tokens that are known by themselves: kind, what they begin with, pattern. */
export const GITLEAKS_SHAPES = String.raw`
1password secret key	a3-	A3-[A-Z0-9]{6}-(?:(?:[A-Z0-9]{11})|(?:[A-Z0-9]{6}-[A-Z0-9]{5}))-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}
1password service account token	ops_	ops_eyJ[a-z0-9+/]{250,}={0,3}\w*
adobe client secret	p8e-	p8e-[a-z0-9]{32}
age secret key	age-secret-key-1	AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\w*
airtable personnal access token	pat	pat[a-z0-9]{14}\.[a-f0-9]{64}
alibaba access key id	ltai	LTAI[a-z0-9]{20}
anthropic admin api key	sk-ant-admin01	sk-ant-admin01-[\w-]{93}AA
anthropic api key	sk-ant-api03	sk-ant-api03-[\w-]{93}AA
artifactory api key	akcp	AKCp[a-z0-9]{69}
artifactory reference token	cmvmd	cmVmd[a-z0-9]{59}
atlassian api token	atatt3	ATATT3[a-z0-9_\-=]{186}
authress service client access key	sc_ ext_ scauth_ authress_	(?:(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.(?:acc)[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120})
aws access token	a3t akia asia abia acca	(?:(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})
aws amazon bedrock api key long lived	absk	ABSK[a-z0-9+/]{109,269}={0,2}
clickhouse cloud api secret key	4b1d	4b1d[a-z0-9]{38}
clojars api token	clojars_	CLOJARS_[a-z0-9]{60}\w*
cloudflare origin ca key	v1.0-	v1\.0-[a-f0-9]{24}-[a-f0-9]{146}
databricks api token	dapi	(?:dapi[a-f0-9]{32}(?:-\d)?)
digitalocean access token	doo_v1_	doo_v1_[a-f0-9]{64}
digitalocean pat	dop_v1_	dop_v1_[a-f0-9]{64}
digitalocean refresh token	dor_v1_	dor_v1_[a-f0-9]{64}
doppler api token	dp.pt.	dp\.pt\.[a-z0-9]{43}\w*
duffel api token	duffel_	duffel_(?:test|live)_[a-z0-9_\-=]{43}\w*
dynatrace api token	dt0c01.	dt0c01\.[a-z0-9]{24}\.[a-z0-9]{64}\w*
easypost api token	ezak	EZAK[a-z0-9]{54}
easypost test api token	eztk	EZTK[a-z0-9]{54}
facebook page access token	eaam eaac	EAA[MC][a-z0-9]{100,}
flutterwave encryption key	flwseck_test	FLWSECK_TEST-[a-h0-9]{12}\w*
flutterwave public key	flwpubk_test	FLWPUBK_TEST-[a-h0-9]{32}-X\w*
flutterwave secret key	flwseck_test	FLWSECK_TEST-[a-h0-9]{32}-X\w*
flyio access token	fo1_ fm1 fm2_	(?:(?:fo1_[\w-]{43}|fm1[ar]_[a-z0-9+\/]{100,}={0,3}|fm2_[a-z0-9+\/]{100,}={0,3}))
frameio api token	fio-u-	fio-u-[a-z0-9\-_=]{64}\w*
gcp api key	aiza	AIza[\w-]{35}
github app token	ghu_ ghs_	(?:ghu|ghs)_[a-z0-9]{36}\w*
github fine grained pat	github_pat_	github_pat_\w{82}\w*
github oauth	gho_	gho_[a-z0-9]{36}\w*
github pat	ghp_	ghp_[a-z0-9]{36}\w*
github refresh token	ghr_	ghr_[a-z0-9]{36}\w*
gitlab cicd job token	glcbt-	glcbt-[a-z0-9]{1,5}_[\w-]{20}\w*
gitlab deploy token	gldt-	gldt-[\w-]{20}\w*
gitlab feature flag client token	glffct-	glffct-[\w-]{20}\w*
gitlab feed token	glft-	glft-[\w-]{20}\w*
gitlab incoming mail token	glimt-	glimt-[\w-]{25}\w*
gitlab kubernetes agent token	glagent-	glagent-[\w-]{50}\w*
gitlab oauth app secret	gloas-	gloas-[\w-]{64}\w*
gitlab pat	glpat-	glpat-[\w-]{20}\w*
gitlab pat routable	glpat-	glpat-[\w-]{27,300}\.[0-9a-z]{2}[0-9a-z]{7}
gitlab ptt	glptt-	glptt-[0-9a-f]{40}\w*
gitlab rrt	gr1348941	GR1348941[\w-]{20}\w*
gitlab runner authentication token	glrt-	glrt-[\w-]{20}\w*
gitlab runner authentication token routable	glrt-	glrt-t\d_[\w-]{27,300}\.[0-9a-z]{2}[0-9a-z]{7}
gitlab scim token	glsoat-	glsoat-[\w-]{20}\w*
gitlab session cookie	_gitlab_session=	_gitlab_session=[0-9a-z]{32}\w*
grafana api key	eyjrijoi	eyJrIjoi[a-z0-9]{70,400}={0,3}
grafana cloud api token	glc_	glc_[a-z0-9+/]{32,400}={0,3}
grafana service account token	glsa_	glsa_[a-z0-9]{32}_[A-Fa-f0-9]{8}
harness api key	pat. sat.	(?:pat|sat)\.[\w-]{22}\.[a-z0-9]{24}\.[a-z0-9]{20}\w*
heroku api key v2	hrku-aa	(?:(?:HRKU-AA[\w-]{58}))
huggingface access token	hf_	(?:hf_(?:[a-z]{34}))
huggingface organization api token	api_org_	(?:api_org_(?:[a-z]{34}))
infracost api token	ico-	ico-[a-z0-9]{32}
intra42 client secret	s-s4t2	(?:s-s4t2(?:ud|af)-[abcdef0123456789]{64})
linear api key	lin_api_	lin_api_[a-z0-9]{40}\w*
notion api token	ntn_	ntn_[0-9]{11}[a-z0-9]{32}[a-z0-9]{3}
npm access token	npm_	npm_[a-z0-9]{36}
octopus deploy api key	api-	API-[A-Z0-9]{26}
openai api key	sk-	(?:sk-(?:proj|svcacct|admin)-(?:[\w-]{74}|[\w-]{58})T3BlbkFJ(?:[\w-]{74}|[\w-]{58})|sk-[a-z0-9]{20}T3BlbkFJ[a-z0-9]{20})
openshift user token	sha256~	sha256~[\w-]{43}
perplexity api key	pplx-	pplx-[a-z0-9]{48}
planetscale api token	pscale_tkn_	pscale_tkn_[\w=\.-]{32,64}
planetscale oauth token	pscale_oauth_	pscale_oauth_[\w=\.-]{32,64}
planetscale password	pscale_pw_	pscale_pw_[\w=\.-]{32,64}
postman api token	pmak-	PMAK-[a-f0-9]{24}\-[a-f0-9]{34}
prefect api token	pnu_	pnu_[a-z0-9]{36}
pulumi api token	pul-	pul-[a-f0-9]{40}
pypi upload token	pypi-ageichlwas5vcmc	pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}\w*
readme api token	rdme_	rdme_[a-z0-9]{70}
rubygems api token	rubygems_	rubygems_[a-f0-9]{48}
scalingo api token	tk-us-	tk-us-[\w-]{48}
sendgrid api token	sg.	SG\.[a-z0-9=_\-\.]{66}
sendinblue api token	xkeysib-	xkeysib-[a-f0-9]{64}\-[a-z0-9]{16}
sentry org token	sntrys_eyjpyxqio	sntrys_eyJpYXQiO[a-z0-9+/]{10,200}(?:LCJyZWdpb25fdXJs|InJlZ2lvbl91cmwi|cmVnaW9uX3VybCI6)[a-z0-9+/]{10,200}={0,2}_[a-z0-9+/]{43}
sentry user token	sntryu_	sntryu_[a-f0-9]{64}
settlemint application access token	sm_aat	sm_aat_[a-z0-9]{16}
settlemint personal access token	sm_pat	sm_pat_[a-z0-9]{16}
settlemint service access token	sm_sat	sm_sat_[a-z0-9]{16}
shippo api token	shippo_	(?:shippo_(?:live|test)_[a-fA-F0-9]{40})
shopify access token	shpat_	shpat_[a-fA-F0-9]{32}\w*
shopify custom access token	shpca_	shpca_[a-fA-F0-9]{32}\w*
shopify private app access token	shppa_	shppa_[a-fA-F0-9]{32}\w*
shopify shared secret	shpss_	shpss_[a-fA-F0-9]{32}\w*
slack app token	xapp	xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+\w*
slack bot token	xoxb	xoxb-[0-9]{10,13}-[0-9]{10,13}[a-z0-9-]*\w*
slack config access token	xoxe.xoxb- xoxe.xoxp-	xoxe\.xox[bp]-\d-[A-Z0-9]{163,166}\w*
slack config refresh token	xoxe-	xoxe-\d-[A-Z0-9]{146}\w*
slack legacy bot token	xoxb	xoxb-[0-9]{8,14}-[a-z0-9]{18,26}\w*
slack legacy token	xoxo xoxs	xox[os]-\d+-\d+-\d+-[a-fA-F\d]+\w*
slack legacy workspace token	xoxa xoxr	xox[ar]-(?:\d-)?[a-z0-9]{8,48}\w*
slack user token	xoxp- xoxe-	xox[pe](?:-[0-9]{10,13}){3}-[a-z0-9-]{28,34}\w*
sourcegraph access token	sgp_	sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}
square access token	sq0atp- eaaa	(?:(?:EAAA|sq0atp-)[\w-]{22,60})
stripe access token	sk_test sk_live sk_prod rk_test rk_live rk_prod	(?:(?:sk|rk)_(?:test|live|prod)_[a-z0-9]{10,99})
twilio api key	sk	SK[0-9a-fA-F]{32}\w*
vault batch token	hvb.	hvb\.[\w-]{138,300}
vault service token	hvs. s.	(?:hvs\.[\w-]{90,120}|s\.(?=[a-zA-Z]{0,23}\d)[a-zA-Z0-9]{24})
`

/** Values that are known by a name before them: pattern, names. */
export const GITLEAKS_NAMED = String.raw`
[\w-]{32}	adafruit
[a-f0-9]{32}	adobe facebook finicity linear
[a-z0-9]{17}	airtable
[a-z0-9]{32}	algolia asana bitbucket bittrex codecov droneci flickr private_ai private-ai privateai
[a-z0-9]{30}	alibaba plaid twitch
[0-9]{16}	asana
[a-z0-9]{20}[a-f0-9]{4}	atlassian confluence jira
b_[a-z0-9=_\-]{44}	beamer
[a-z0-9=_\-]{64}	bitbucket
[0-9a-f]{40}	meraki
[\w-]{40}	cloudflare gitter
[a-f0-9]{37}	cloudflare
[a-z0-9]{40}	cohere co_api_key datadog zendesk
[\w-]{64}	coinbase
[a-z0-9]{16}	confluent linked_in linked-in linkedin
[a-z0-9]{64}	confluent freshbooks jfrog artifactory bintray xray new-relic newrelic new_relic sumo
[a-z0-9=_\-]{43}	contentful
dnkey-[a-z0-9=_\-]{26}-[a-z0-9=_\-]{52}	dnkey
[a-f0-9]{64}	discord sentry
[0-9]{18}	discord
[a-z0-9=_\-]{32}	discord fastly nytimes new-york-times, newyorktimes
[a-z0-9]{15}	dropbox
(?:[a-z0-9]{11}(?:AAAAAAAAAA)[a-z0-9\-_=]{43})	dropbox
sl\.[a-z0-9\-=_]{135}	dropbox
[a-z0-9]{24}	etsy looker plaid
[a-z0-9]{20}	finicity finnhub looker
live_[a-z0-9\-_=]{40}	gocardless
[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}	heroku kucoin message_bird message-bird messagebird sendbird snyk squarespace
[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}	hubspot
[a-z0-9=_\-]{60}	intercom
[a-z0-9]{73}	jfrog artifactory bintray xray
[a-z0-9\/=_\+\-]{80,90}	kraken
[a-f0-9]{24}	kucoin
[a-z0-9=_\-]{40}	launchdarkly
[a-z0-9]{14}	linked_in linked-in linkedin
(?:(?:live|test)_[a-f0-9]{35})	lob
(?:(?:test|live)_pub_[a-f0-9]{31})	lob
[a-f0-9]{32}-us\d\d	mailchimp
key-[a-f0-9]{32}	mailgun
pubkey-[a-f0-9]{32}	mailgun
[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}	mailgun
pk\.[a-z0-9]{60}\.[a-z0-9]{22}	mapbox
[a-z0-9]{26}	mattermost
[a-z0-9]{25}	message_bird message-bird messagebird twitter
[a-z0-9=_\-]{40,46}	netlify
NRJS-[a-f0-9]{19}	new-relic newrelic new_relic
NRII-[a-z0-9-]{32}	new-relic newrelic new_relic
NRAK-[a-z0-9]{27}	new-relic newrelic new_relic
00[\w=\-]{40}	okta
(?:access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})	plaid
[\w-]{50}	rapidapi
[a-f0-9]{40}	sendbird
[a-f0-9]{8}:[a-f0-9]{8}	bundle_enterprise__contribsys__com bundle_gems__contribsys__com
(?:(?:squ_|sqp_|sqa_)?[a-z0-9=_\-]{40})	sonar
su[a-z0-9]{12}	sumo
(?:[0-9]{5,16}:(?:A)[\w-]{34})	telegr
[a-z0-9]{22}	travis
[a-z0-9]{45}	twitter
[0-9]{15,25}-[a-z0-9]{20,40}	twitter
[a-z0-9]{50}	twitter
A{22}[a-z0-9%]{80,100}	twitter
tfp_[a-z0-9\-_\.=]{59}	typeform
t1\.[A-Z0-9a-z_-]+[=]{0,2}\.[A-Z0-9a-z_-]{86}[=]{0,2}	yandex
AQVN[\w-]{35,38}	yandex
YC[\w-]{38}	yandex
`
