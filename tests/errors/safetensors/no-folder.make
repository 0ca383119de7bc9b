# load nowhere/config.json
