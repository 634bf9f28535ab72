module example.com/app

go 1.21

require example.com/latchkey v1.0.0

replace example.com/latchkey => ../../clients/go
